#include "models/potentials/paired.h"

#include <math.h>

double kith__paired_gain(const float *a, const float *b, int32_t n)
{
    double mean = 0, square = 0;

    for (int32_t i = 0; i < n; i++)
        mean += ((double)a[i] - (double)b[i]) / n;
    for (int32_t i = 0; i < n; i++) {
        const double x = (double)a[i] - (double)b[i] - mean;

        square += x * x;
    }
    return n > 1 && square > 0 ? mean / sqrt(square / (n - 1) / n) : 0;
}
