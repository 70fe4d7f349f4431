/* C++ sets memory aside in which exceptions are thrown when there is no other: by malloc, as the library is loaded, and
 * that is the first that the library asks for. Where even this fails, whoever then throws for want of memory ends the
 * process. So the library brings the reserve along: all its allocations come by here (the linker's --wrap), and the
 * first one cannot fail. Nobody gives the reserve back. */
#include <stddef.h>

/* As much as libstdc++ asks for on 64 bits, and some more. */
static _Alignas(max_align_t) char reserve[80 << 10];

/* Written as the library is loaded, before it has threads. */
static int asked = 0;

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
void* __real_malloc(size_t bytes);
void* __wrap_malloc(size_t bytes);
/* NOLINTEND(bugprone-reserved-identifier) */

void* __wrap_malloc(size_t bytes) {
    void* const memory = __real_malloc(bytes);
    if (__builtin_expect(!asked, 0)) {
        asked = 1;
        /* Whatever is much smaller is something else, and may be freed. */
        if (memory == NULL && bytes > sizeof reserve / 4 && bytes <= sizeof reserve) {
            return reserve;
        }
    }
    return memory;
}
