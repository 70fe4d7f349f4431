/* The Open MPI component coll/aapc: a module for each communicator, which has Open MPI call us for its all-to-alls and
 * remembers whom it would have called. Everything else is behind entry.cpp. Written for the interfaces 2.0.0 (Open MPI
 * 4.1), 2.4.0 (5.0) and 3.0.0 (6.0) of the framework coll. */
#include "interposer/component/coll_aapc.h"

#include <ompi/communicator/communicator.h>
#include <ompi/constants.h>
#include <ompi/mca/coll/base/base.h>
#include <ompi/mca/coll/coll.h>
#include <ompi/mca/hook/base/base.h>
#include <ompi/request/request.h>
#include <pthread.h>

/* What differs between the interfaces: their version, what counts and places are, and who puts a module's functions in
 * their place. */
#if defined(MCA_COLL_BASE_VERSION_3_0_0)
#define AAPC_COLL_VERSION MCA_COLL_BASE_VERSION_3_0_0
#define AAPC_INSTALLS_ITSELF 1
typedef size_t count_t;
typedef ompi_count_array_t counts_t;
typedef ompi_disp_array_t places_t;
#define WIDE(counts) ompi_count_array_is_64bit(counts)
#define COUNTS(counts) ompi_count_array_ptr(counts)
#define PLACES(places) ompi_disp_array_ptr(places)
static counts_t counts_of(int wide, const void* counts) {
    return wide ? ompi_count_array_create_c((const size_t*)counts) : ompi_count_array_create((const int*)counts);
}
static places_t places_of(int wide, const void* places) {
    return wide ? ompi_disp_array_create_c((const ptrdiff_t*)places) : ompi_disp_array_create((const int*)places);
}
#elif defined(MCA_COLL_BASE_VERSION_2_4_0) || defined(MCA_COLL_BASE_VERSION_2_0_0)
#if defined(MCA_COLL_BASE_VERSION_2_4_0)
#define AAPC_COLL_VERSION MCA_COLL_BASE_VERSION_2_4_0
#else
#define AAPC_COLL_VERSION MCA_COLL_BASE_VERSION_2_0_0
#endif
#define AAPC_INSTALLS_ITSELF 0
typedef int count_t;
typedef const int* counts_t;
typedef const int* places_t;
#define WIDE(counts) 0
#define COUNTS(counts) (counts)
#define PLACES(places) (places)
static counts_t counts_of(int wide, const void* counts) {
    (void)wide;
    return (counts_t)counts;
}
static places_t places_of(int wide, const void* places) {
    (void)wide;
    return (places_t)places;
}
#else
#error "coll/aapc knows the interfaces 2.0.0, 2.4.0 and 3.0.0 of Open MPI's framework coll"
#endif

/* Every routine that we answer for. */
#define AAPC_COLL_ROUTINES(X) \
    X(alltoall)               \
    X(alltoallv)              \
    X(alltoallw)              \
    X(ialltoall)              \
    X(ialltoallv)             \
    X(ialltoallw)             \
    X(alltoall_init)          \
    X(alltoallv_init)         \
    X(alltoallw_init)

typedef struct aapc_module_t {
    mca_coll_base_module_t super;
    ompi_communicator_t* comm;
    /* Whose turn it would be without us, each with a reference. */
#define AAPC_BELOW(name)                             \
    mca_coll_base_module_##name##_fn_t below_##name; \
    mca_coll_base_module_t* below_##name##_module;
    AAPC_COLL_ROUTINES(AAPC_BELOW)
#undef AAPC_BELOW
    struct aapc_module_t* next;
} aapc_module_t;

/* All that are enabled, for communicators on which yet another component has put itself before us. */
static aapc_module_t* modules = NULL;
static pthread_mutex_t modules_mutex = PTHREAD_MUTEX_INITIALIZER;

static int priority = 0;
static int has_hooks = 0;

/* The functions of our modules: parameters as Open MPI has them, and arguments for the other half. */
#define EQUAL                                                                                        \
    const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, void *recvbuf, count_t recvcount, \
        MPI_Datatype recvtype, MPI_Comm comm
#define EQUAL_ARGUMENTS sendbuf, (MPI_Count)sendcount, sendtype, recvbuf, (MPI_Count)recvcount, recvtype, comm
#define UNEQUAL(TYPE)                                                                                              \
    const void *sendbuf, counts_t sendcounts, places_t sdispls, TYPE sendtype, void *recvbuf, counts_t recvcounts, \
        places_t rdispls, TYPE recvtype, MPI_Comm comm
#define UNEQUAL_ARGUMENTS                                                                                  \
    WIDE(recvcounts), sendbuf, COUNTS(sendcounts), PLACES(sdispls), sendtype, recvbuf, COUNTS(recvcounts), \
        PLACES(rdispls), recvtype, comm
#define IMMEDIATE(...) __VA_ARGS__, MPI_Request* request
#define PERSISTENT(...) __VA_ARGS__, MPI_Info info, MPI_Request *request
/* NAME(PARAMETERS), which is a call with the arguments that follow. Parameters cannot be in parentheses of their own.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define ANSWER(NAME, PARAMETERS, ...)                             \
    static int NAME(PARAMETERS, mca_coll_base_module_t* module) { \
        (void)module;                                             \
        return aapc_coll_##NAME(__VA_ARGS__);                     \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
ANSWER(alltoall, EQUAL, EQUAL_ARGUMENTS)
ANSWER(alltoallv, UNEQUAL(MPI_Datatype), UNEQUAL_ARGUMENTS)
ANSWER(alltoallw, UNEQUAL(const MPI_Datatype*), UNEQUAL_ARGUMENTS)
ANSWER(ialltoall, IMMEDIATE(EQUAL), EQUAL_ARGUMENTS, request)
ANSWER(ialltoallv, IMMEDIATE(UNEQUAL(MPI_Datatype)), UNEQUAL_ARGUMENTS, request)
ANSWER(ialltoallw, IMMEDIATE(UNEQUAL(const MPI_Datatype*)), UNEQUAL_ARGUMENTS, request)
ANSWER(alltoall_init, PERSISTENT(EQUAL), EQUAL_ARGUMENTS, info, request)
ANSWER(alltoallv_init, PERSISTENT(UNEQUAL(MPI_Datatype)), UNEQUAL_ARGUMENTS, info, request)
ANSWER(alltoallw_init, PERSISTENT(UNEQUAL(const MPI_Datatype*)), UNEQUAL_ARGUMENTS, info, request)

/* Never null: only our modules lead to what asks for it. */
static aapc_module_t* find_module(const ompi_communicator_t* comm) {
    pthread_mutex_lock(&modules_mutex);
    aapc_module_t* found = modules;
    while (found != NULL && found->comm != comm) {
        found = found->next;
    }
    pthread_mutex_unlock(&modules_mutex);
    return found;
}

/* The module of ours on that communicator, mostly the one that Open MPI has just called. */
#define AAPC_MODULE_OF(comm, name) \
    ((comm)->c_coll->coll_##name == (name) ? (aapc_module_t*)(comm)->c_coll->coll_##name##_module : find_module(comm))

#define BELOW_EQUAL_ARGUMENTS sendbuf, (count_t)sendcount, sendtype, recvbuf, (count_t)recvcount, recvtype, comm
#define BELOW_UNEQUAL_ARGUMENTS                                                                          \
    sendbuf, counts_of(wide, sent), places_of(wide, from), sendtype, recvbuf, counts_of(wide, received), \
        places_of(wide, to), recvtype, comm
/* The same the other way. */
#define BELOW(NAME, PARAMETERS, ...)                                         \
    int aapc_below_##NAME(PARAMETERS) {                                      \
        const aapc_module_t* const ours = AAPC_MODULE_OF(comm, NAME);        \
        return ours->below_##NAME(__VA_ARGS__, ours->below_##NAME##_module); \
    }
BELOW(alltoall, AAPC_COLL_EQUAL, BELOW_EQUAL_ARGUMENTS)
BELOW(alltoallv, AAPC_COLL_UNEQUAL, BELOW_UNEQUAL_ARGUMENTS)
BELOW(alltoallw, AAPC_COLL_TYPED, BELOW_UNEQUAL_ARGUMENTS)
BELOW(ialltoall, IMMEDIATE(AAPC_COLL_EQUAL), BELOW_EQUAL_ARGUMENTS, request)
BELOW(ialltoallv, IMMEDIATE(AAPC_COLL_UNEQUAL), BELOW_UNEQUAL_ARGUMENTS, request)
BELOW(ialltoallw, IMMEDIATE(AAPC_COLL_TYPED), BELOW_UNEQUAL_ARGUMENTS, request)
BELOW(alltoall_init, PERSISTENT(AAPC_COLL_EQUAL), BELOW_EQUAL_ARGUMENTS, info, request)
BELOW(alltoallv_init, PERSISTENT(AAPC_COLL_UNEQUAL), BELOW_UNEQUAL_ARGUMENTS, info, request)
BELOW(alltoallw_init, PERSISTENT(AAPC_COLL_TYPED), BELOW_UNEQUAL_ARGUMENTS, info, request)

/* Called while the communicator still has the functions that it would have without us. */
static int enable(mca_coll_base_module_t* module, ompi_communicator_t* comm) {
    aapc_module_t* const ours = (aapc_module_t*)module;
    ours->comm = comm;
    /* What nobody below can do, we cannot either. */
#define AAPC_SAVE(name)                                                   \
    if (comm->c_coll->coll_##name != NULL) {                              \
        ours->below_##name = comm->c_coll->coll_##name;                   \
        ours->below_##name##_module = comm->c_coll->coll_##name##_module; \
        OBJ_RETAIN(ours->below_##name##_module);                          \
    } else {                                                              \
        ours->super.coll_##name = NULL;                                   \
    }
    AAPC_COLL_ROUTINES(AAPC_SAVE)
#undef AAPC_SAVE
#if AAPC_INSTALLS_ITSELF
#define AAPC_INSTALL(name)                                   \
    if (ours->super.coll_##name != NULL) {                   \
        comm->c_coll->coll_##name = ours->super.coll_##name; \
        comm->c_coll->coll_##name##_module = module;         \
    }
    AAPC_COLL_ROUTINES(AAPC_INSTALL)
#undef AAPC_INSTALL
#endif
    pthread_mutex_lock(&modules_mutex);
    ours->next = modules;
    modules = ours;
    pthread_mutex_unlock(&modules_mutex);
    return OMPI_SUCCESS;
}

#if AAPC_INSTALLS_ITSELF
/* And takes them away itself. */
static int disable(mca_coll_base_module_t* module, ompi_communicator_t* comm) {
    const aapc_module_t* const ours = (const aapc_module_t*)module;
#define AAPC_RESTORE(name)                                                \
    if (comm->c_coll->coll_##name##_module == module) {                   \
        comm->c_coll->coll_##name = ours->below_##name;                   \
        comm->c_coll->coll_##name##_module = ours->below_##name##_module; \
    }
    AAPC_COLL_ROUTINES(AAPC_RESTORE)
#undef AAPC_RESTORE
    return OMPI_SUCCESS;
}
#endif

static void construct(aapc_module_t* ours) {
    ours->comm = NULL;
    ours->next = NULL;
#define AAPC_CLEAR(name)       \
    ours->below_##name = NULL; \
    ours->below_##name##_module = NULL;
    AAPC_COLL_ROUTINES(AAPC_CLEAR)
#undef AAPC_CLEAR
}

static void destruct(aapc_module_t* ours) {
    pthread_mutex_lock(&modules_mutex);
    for (aapc_module_t** link = &modules; *link != NULL; link = &(*link)->next) {
        if (*link == ours) {
            *link = ours->next;
            break;
        }
    }
    pthread_mutex_unlock(&modules_mutex);
#define AAPC_RELEASE(name)                        \
    if (ours->below_##name##_module != NULL) {    \
        OBJ_RELEASE(ours->below_##name##_module); \
    }
    AAPC_COLL_ROUTINES(AAPC_RELEASE)
#undef AAPC_RELEASE
}

static OBJ_CLASS_INSTANCE(aapc_module_t, mca_coll_base_module_t, construct, destruct);

/* Between groups there is nothing to schedule. */
static mca_coll_base_module_t* query(ompi_communicator_t* comm, int* wanted) {
    if (!has_hooks || OMPI_COMM_IS_INTER(comm)) {
        return NULL;
    }
    aapc_module_t* const ours = OBJ_NEW(aapc_module_t);
    if (ours == NULL) {
        return NULL;
    }
    *wanted = priority;
    ours->super.coll_module_enable = enable;
#if AAPC_INSTALLS_ITSELF
    ours->super.coll_module_disable = disable;
#endif
#define AAPC_ANSWER(name) ours->super.coll_##name = name;
    AAPC_COLL_ROUTINES(AAPC_ANSWER)
#undef AAPC_ANSWER
    return &ours->super;
}

static int start_requests(size_t count, ompi_request_t** requests) {
    for (size_t index = 0; index < count; ++index) {
        ompi_request_t* const request = requests[index];
        request->req_status.MPI_ERROR = MPI_SUCCESS;
        request->req_complete = REQUEST_PENDING;
        request->req_state = OMPI_REQUEST_ACTIVE;
    }
    aapc_coll_started((int)count, requests);
    return OMPI_SUCCESS;
}

static int free_request(ompi_request_t** request) {
    ompi_request_t* const ours = *request;
    if (!REQUEST_COMPLETE(ours)) {
        return MPI_ERR_REQUEST;
    }
    if (ours->req_persistent) {
        aapc_coll_freed(ours);
    }
    OMPI_REQUEST_FINI(ours);
    OBJ_RELEASE(ours->req_mpi_object.comm);
    OBJ_RELEASE(*request);
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

/* The standard knows no cancelling of collectives. */
static int cancel_request(ompi_request_t* request, int complete) {
    (void)request;
    (void)complete;
    return MPI_ERR_REQUEST;
}

/* Open MPI takes every collective's request for one of this kind, which has room for the datatypes that it keeps. Its
 * header needs another one that is not installed; the class knows how large such a request is. */
extern opal_class_t ompi_coll_base_nbc_request_t_class;

MPI_Request aapc_make_request(MPI_Comm comm, int persistent) {
    ompi_request_t* const request = (ompi_request_t*)opal_obj_new(&ompi_coll_base_nbc_request_t_class);
    if (request == NULL) {
        return NULL;
    }
    OMPI_REQUEST_INIT(request, persistent);
    request->req_type = OMPI_REQUEST_COLL;
    request->req_status._cancelled = 0;
    request->req_status.MPI_ERROR = MPI_SUCCESS;
    request->req_start = start_requests;
    request->req_free = free_request;
    request->req_cancel = cancel_request;
    request->req_mpi_object.comm = comm;
    OBJ_RETAIN(comm);
    if (!persistent) {
        request->req_state = OMPI_REQUEST_ACTIVE;
    }
    return request;
}

void aapc_complete_request(MPI_Request request, int error) {
    request->req_status.MPI_ERROR = error;
    (void)ompi_request_complete(request, true);
}

static void init_bottom(int argc, char** argv, int requested, int* provided) {
    (void)argc;
    (void)argv;
    (void)requested;
    (void)provided;
    if (aapc_coll_is_preloaded()) {
        aapc_coll_say_preloaded();
    } else {
        aapc_coll_begin();
    }
}

static void finalize_top(void) { aapc_coll_end(); }

/* A communicator of all ranks can only be spoken on once MPI_Init is through, and for as long as MPI_Finalize has not
 * begun. */
static ompi_hook_base_component_t hooks;

static int init_query(bool progress_threads, bool mpi_threads) {
    (void)progress_threads;
    (void)mpi_threads;
    if (priority <= 0) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    hooks.hookm_mpi_init_bottom = init_bottom;
    hooks.hookm_mpi_finalize_top = finalize_top;
    if (ompi_hook_base_register_callbacks(&hooks) != OMPI_SUCCESS) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    /* With hooks we can at least say so. */
    has_hooks = !aapc_coll_is_preloaded();
    return OMPI_SUCCESS;
}

static int register_parameters(void);

__attribute__((visibility("default"))) const mca_coll_base_component_t mca_coll_aapc_component = {
    .collm_version =
        {
            AAPC_COLL_VERSION,
            .mca_component_name = "aapc",
            MCA_BASE_MAKE_VERSION(component, AAPC_VERSION_MAJOR, AAPC_VERSION_MINOR, AAPC_VERSION_PATCH),
            .mca_register_component_params = register_parameters,
        },
    .collm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .collm_init_query = init_query,
    .collm_comm_query = query,
};

static int register_parameters(void) {
    const mca_base_component_t* const component = &mca_coll_aapc_component.collm_version;
    /* Open MPI keeps the addresses. */
    enum { most_settings = 64 };
    static char* values[most_settings];
    (void)mca_base_component_var_register(component, "priority",
                                          "Priority of the component; 0: it is not used. Other components' are at most "
                                          "90",
                                          MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_2,
                                          MCA_BASE_VAR_SCOPE_READONLY, &priority);
    char name[aapc_coll_longest_name];
    char meaning[aapc_coll_longest_meaning];
    for (int index = 0; index < most_settings && aapc_coll_setting(index, name, meaning); ++index) {
        values[index] = (char*)aapc_coll_environment(index);
        (void)mca_base_component_var_register(component, name, meaning, MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0,
                                              OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_READONLY, (void*)&values[index]);
        aapc_coll_set(index, values[index]);
    }
    return OMPI_SUCCESS;
}
