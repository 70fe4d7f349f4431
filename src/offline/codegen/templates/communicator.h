/* Instead of an error of MPI, none of which is negative: the schedule is not for this call. */
#define AAPC_NOT_SERVED (-1)

/* What is kept with a communicator of the program, as an attribute of it. */
struct aapc_communicator {
    MPI_Comm user; /* the program's, which owns this */
    MPI_Comm own;  /* the same ranks, for the messages of this file alone; its errors are returned */
    int rank;
    struct aapc_communicator *next;      /* in aapc_all */
    MPI_Request requests[AAPC_REQUESTS]; /* MPI_REQUEST_NULL where nothing is under way */
    int completed[AAPC_REQUESTS];        /* what a test found: indices into requests */
    MPI_Status statuses[AAPC_REQUESTS];  /* of those that completed */
    int fruitless_tests;                 /* in a row */
#if TEMPLATE_TOKENS
    struct aapc_token_state tokens;
#endif
#if TEMPLATE_DUMMIES
    struct aapc_dummy_state dummies;
#endif
};

/* The attribute of a communicator that the schedule is not for. */
static int aapc_unusable;

/* The lock guards the three below, which all threads share. */
static atomic_flag aapc_lock = ATOMIC_FLAG_INIT;
static int aapc_keyval = MPI_KEYVAL_INVALID;     /* of the attribute of the program's communicators */
static int aapc_end_keyval = MPI_KEYVAL_INVALID; /* of an attribute of MPI_COMM_SELF: MPI_Finalize deletes it first */
static struct aapc_communicator *aapc_all;       /* all that are alive */

static void aapc_acquire(void)
{
    while (atomic_flag_test_and_set(&aapc_lock)) {
    }
}

static void aapc_release(void)
{
    atomic_flag_clear(&aapc_lock);
}

/* Called by MPI when the program frees its communicator, and by aapc_end. */
static int aapc_forget(MPI_Comm user, int keyval, void *attribute, void *extra_state)
{
    struct aapc_communicator *c = attribute;
    struct aapc_communicator **link = &aapc_all;
    int error;

    (void)user;
    (void)keyval;
    (void)extra_state;
    if (attribute == &aapc_unusable) {
        return MPI_SUCCESS;
    }
    aapc_acquire();
    while (*link != NULL && *link != c) {
        link = &(*link)->next;
    }
    if (*link == c) {
        *link = c->next;
    }
    aapc_release();
    error = MPI_Comm_free(&c->own);
    free(c);
    return error;
}

/* Called by MPI_Finalize: frees what communicators that are never freed, like MPI_COMM_WORLD, still hold. */
static int aapc_end(MPI_Comm self, int keyval, void *attribute, void *extra_state)
{
    int error = MPI_SUCCESS;

    (void)self;
    (void)keyval;
    (void)attribute;
    (void)extra_state;
    while (aapc_all != NULL && error == MPI_SUCCESS) {
        error = MPI_Comm_delete_attr(aapc_all->user, aapc_keyval);
    }
    return error;
}

/* Makes the two keyvals, once. */
static int aapc_make_keyvals(void)
{
    int error = MPI_SUCCESS;

    aapc_acquire();
    if (aapc_end_keyval == MPI_KEYVAL_INVALID) {
        error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, aapc_end, &aapc_end_keyval, NULL);
        if (error == MPI_SUCCESS) {
            error = MPI_Comm_set_attr(MPI_COMM_SELF, aapc_end_keyval, NULL);
        }
    }
    if (error == MPI_SUCCESS && aapc_keyval == MPI_KEYVAL_INVALID) {
        /* Not copied with the communicator: whoever duplicates one gets a new attribute for the duplicate. */
        error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, aapc_forget, &aapc_keyval, NULL);
    }
    aapc_release();
    return error;
}

#ifndef AAPC_SKIP_MACHINE_CHECK
/* Whether two names agree up to the first dot and at least one of them ends there: "n3" and "n3.cluster.example". */
static int aapc_is_short_for(const char *one, const char *other)
{
    const size_t length = strcspn(one, ".");

    return length == strcspn(other, ".") && strncmp(one, other, length) == 0 &&
           (one[length] == '\0' || other[length] == '\0');
}

/* Whether this process runs on the machine that the schedule has for this rank. */
static int aapc_is_on_its_machine(int rank)
{
    char host[MPI_MAX_PROCESSOR_NAME + 1];
    int length = 0;
    const char *const expected = aapc_machine[rank];

    if (MPI_Get_processor_name(host, &length) != MPI_SUCCESS) {
        return 0;
    }
    host[length] = '\0';
    if (strcmp(host, expected) == 0) {
        return 1;
    }
    if (!aapc_is_short_for(host, expected)) {
        return 0;
    }
    /* The short form will do if it can mean no other machine of the schedule. */
    for (int other = 0; other < AAPC_RANKS; ++other) {
        const char *const name = aapc_machine[other];

        if (strcmp(name, expected) != 0 && (strcmp(host, name) == 0 || aapc_is_short_for(host, name))) {
            return 0;
        }
    }
    return 1;
}
#endif

/* Collective. Finds out whether the schedule is for this communicator, with the same answer on all ranks, and makes
 * what is kept with it. Returns the value of the attribute; NULL if MPI failed. */
static void *aapc_set_up(MPI_Comm user)
{
    struct aapc_communicator *c = malloc(sizeof *c);
    MPI_Group group;
    int rank = 0;
    int usable = c != NULL;

    if (MPI_Comm_rank(user, &rank) != MPI_SUCCESS) {
        usable = 0;
    }
#ifndef AAPC_SKIP_MACHINE_CHECK
    usable = usable && aapc_is_on_its_machine(rank);
#endif
    if (MPI_Allreduce(MPI_IN_PLACE, &usable, 1, MPI_INT, MPI_MIN, user) != MPI_SUCCESS || !usable) {
        free(c);
        return MPI_Comm_set_attr(user, aapc_keyval, &aapc_unusable) == MPI_SUCCESS ? &aapc_unusable : NULL;
    }
    /* Not MPI_Comm_dup, which would call the copy functions of all the program's attributes. */
    if (MPI_Comm_group(user, &group) != MPI_SUCCESS || MPI_Comm_create(user, group, &c->own) != MPI_SUCCESS ||
        MPI_Group_free(&group) != MPI_SUCCESS || MPI_Comm_set_errhandler(c->own, MPI_ERRORS_RETURN) != MPI_SUCCESS) {
        free(c);
        return NULL;
    }
    c->user = user;
    c->rank = rank;
    c->fruitless_tests = 0;
    for (int i = 0; i < AAPC_REQUESTS; ++i) {
        c->requests[i] = MPI_REQUEST_NULL;
    }
    if (MPI_Comm_set_attr(user, aapc_keyval, c) != MPI_SUCCESS) {
        MPI_Comm_free(&c->own);
        free(c);
        return NULL;
    }
    aapc_acquire();
    c->next = aapc_all;
    aapc_all = c;
    aapc_release();
    return c;
}

/* What is kept with this communicator, or NULL if the schedule is not for it. Every decision, here and in
 * MPI_Alltoall, rests on what is equal on all ranks. Collective when first called for a communicator. */
static struct aapc_communicator *aapc_find(MPI_Comm user)
{
    void *attribute = NULL;
    int found = 0;

    if (aapc_make_keyvals() != MPI_SUCCESS || MPI_Comm_get_attr(user, aapc_keyval, &attribute, &found) != MPI_SUCCESS) {
        return NULL;
    }
    if (!found) {
        attribute = aapc_set_up(user);
    }
    return attribute == &aapc_unusable ? NULL : attribute;
}

/* The bytes of one message, or 0 if a call like this is not for the schedule. */
static size_t aapc_message_bytes(int count, MPI_Datatype type, MPI_Comm user)
{
    int size = 0;
    int between_groups = 0;
    int ranks = 0;

    if (MPI_Comm_test_inter(user, &between_groups) != MPI_SUCCESS || between_groups ||
        MPI_Comm_size(user, &ranks) != MPI_SUCCESS || ranks != AAPC_RANKS ||
        MPI_Type_size(type, &size) != MPI_SUCCESS) {
        return 0;
    }
    /* A message is counted in an int, and so is what MPI_Pack makes of it; the division keeps the product from
     * overflowing. */
    if (count <= 0 || size <= 0 || size > INT_MAX / AAPC_LARGEST_MESSAGE / count || size * count < AAPC_MINIMUM_BYTES) {
        return 0;
    }
    return (size_t)(size * count);
}
