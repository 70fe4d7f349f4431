#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* wa ORDER REPS: letters of one MPI_Waitall: a Ialltoall, v Ialltoallv, b Ibarrier, i Ibcast, p Irecv, s Isend (ring),
 * n MPI_REQUEST_NULL */
int main(int c, char** v) {
    MPI_Init(&c, &v);
    int r, p;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    const char* o = v[1];
    int reps = atoi(v[2]), n = strlen(o);
    int B = c > 3 ? atoi(v[3]) : 10;
    MPI_Comm cm[64];
    for (int i = 0; i < n; i++) MPI_Comm_dup(MPI_COMM_WORLD, &cm[i]);
    int *s[64], *q[64], x[64], y[64], cnt[64], ds[64];
    for (int i = 0; i < n; i++) {
        s[i] = calloc(p * B, 4);
        q[i] = calloc(p * B, 4);
    }
    for (int i = 0; i < p; i++) {
        cnt[i] = B;
        ds[i] = i * B;
    }
    for (int k = 0; k < reps; k++) {
        MPI_Request rq[64];
        for (int i = 0; i < n; i++) switch (o[i]) {
                case 'a':
                    MPI_Ialltoall(s[i], B, MPI_INT, q[i], B, MPI_INT, cm[i], &rq[i]);
                    break;
                case 'v':
                    MPI_Ialltoallv(s[i], cnt, ds, MPI_INT, q[i], cnt, ds, MPI_INT, cm[i], &rq[i]);
                    break;
                case 'b':
                    MPI_Ibarrier(cm[i], &rq[i]);
                    break;
                case 'i':
                    MPI_Ibcast(&x[i], 1, MPI_INT, 0, cm[i], &rq[i]);
                    break;
                case 'p':
                    MPI_Irecv(&y[i], 1, MPI_INT, (r + p - 1) % p, 7, MPI_COMM_WORLD, &rq[i]);
                    break;
                case 's':
                    MPI_Isend(&x[i], 1, MPI_INT, (r + 1) % p, 7, MPI_COMM_WORLD, &rq[i]);
                    break;
                default:
                    rq[i] = MPI_REQUEST_NULL;
            }
        MPI_Waitall(n, rq, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < n; i++) MPI_Comm_free(&cm[i]);
    if (!r) puts("ok");
    MPI_Finalize();
}
