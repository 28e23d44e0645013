/*
 * near_miss.c: what a mistyped word may have meant.
 */
#include <string.h>

#include "kith/core.h"

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap neighbours) that turn a into b. */
static int edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    int row[3][LONGEST + 1]; /* rows i - 2, i - 1 and i of the table, in turn */
    const int m = (int)strlen(a), n = (int)strlen(b);

    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    for (int j = 0; j <= n; j++)
        row[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = row[i % 3];
        const int *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];

        now[0] = i;
        for (int j = 1; j <= n; j++) {
            now[j] = least_of(least_of(above[j], now[j - 1]) + 1,
                              above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least_of(now[j], before[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

int kith_near_miss(const char *typed, const char *candidate)
{
    const int length = (int)strlen(typed);
    const int far = length <= 2 ? 1 : length <= 5 ? 2 : 3;
    int distance;

    if (length > 1 && strncmp(typed, candidate, (size_t)length) == 0)
        return 0; /* an abbreviation */
    distance = edit_distance(typed, candidate);
    return distance <= far && distance < (int)strlen(candidate) ? distance : -1;
}
