#include "kernels/small_dense.h"

#include <math.h>
#include <string.h>

double kith__cholesky(double *A, int64_t n, double least)
{
    double log_det = 0;

    for (int64_t i = 0; i < n; i++) {
        double *a = A + i * n;

        for (int64_t j = 0; j <= i; j++) {
            const double *b = A + j * n;
            double sum = a[j];

            for (int64_t m = 0; m < j; m++)
                sum -= a[m] * b[m];
            if (j < i) {
                a[j] = b[j] > 0 ? sum / b[j] : 0;
                continue;
            }
            a[i] = sum > least ? sqrt(sum) : 0;
            log_det += sum > least ? log(sum) : -INFINITY;
        }
        memset(a + i + 1, 0, (size_t)(n - i - 1) * sizeof(*a));
    }
    return log_det;
}

void kith__solve_lower(const double *R, int64_t n, int k, double *X)
{
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < k; c++) {
            double sum = X[i * k + c];

            for (int64_t j = 0; j < i; j++)
                sum -= R[i * n + j] * X[j * k + c];
            X[i * k + c] = R[i * n + i] > 0 ? sum / R[i * n + i] : 0;
        }
}

void kith__solve_upper(const double *R, int64_t n, int k, double *X)
{
    for (int64_t i = n - 1; i >= 0; i--)
        for (int c = 0; c < k; c++) {
            double sum = X[i * k + c];

            for (int64_t j = i + 1; j < n; j++)
                sum -= R[j * n + i] * X[j * k + c];
            X[i * k + c] = R[i * n + i] > 0 ? sum / R[i * n + i] : 0;
        }
}

void kith__jacobi(double *A, int k, double *values, double *V)
{
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            V[i * k + j] = i == j;
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0;

        for (int p = 0; p < k; p++)
            for (int q = p + 1; q < k; q++) {
                const double a = A[p * k + q];
                double t, c, s;

                off += a * a;
                if (fabs(a) < 1e-300)
                    continue;
                t = (A[q * k + q] - A[p * k + p]) / (2 * a);
                t = (t >= 0 ? 1 : -1) / (fabs(t) + sqrt(t * t + 1));
                c = 1 / sqrt(t * t + 1);
                s = t * c;
                for (int i = 0; i < k; i++) { /* columns p and q */
                    const double x = A[i * k + p], y = A[i * k + q];

                    A[i * k + p] = c * x - s * y;
                    A[i * k + q] = s * x + c * y;
                }
                for (int i = 0; i < k; i++) { /* rows, and the vectors */
                    const double x = A[p * k + i], y = A[q * k + i];
                    const double v = V[i * k + p], w = V[i * k + q];

                    A[p * k + i] = c * x - s * y;
                    A[q * k + i] = s * x + c * y;
                    V[i * k + p] = c * v - s * w;
                    V[i * k + q] = s * v + c * w;
                }
            }
        if (off < 1e-24)
            break;
    }
    for (int i = 0; i < k; i++)
        values[i] = A[i * k + i];
}
