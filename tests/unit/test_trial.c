/* One method on one split, and values of several splits together. */
#include "check.h"

TEST(a_spread_leaves_out_what_is_no_number)
{
    const double x[] = {1, (double)NAN, 2, 3};
    const kith_spread s = kith_spread_of(x, 4);

    CHECK_NEAR(s.mean, 2, 0);
    CHECK_NEAR(s.std, 1, 1e-15); /* ((1 + 0 + 1) / 2)^1/2 */
    CHECK_INT(s.n, 3);
}

TEST(one_value_has_no_deviation_and_none_no_mean)
{
    const double one = .25, none = (double)NAN;

    CHECK_NEAR(kith_spread_of(&one, 1).mean, .25, 0);
    CHECK_NEAR(kith_spread_of(&one, 1).std, 0, 0);
    CHECK(isnan(kith_spread_of(&none, 1).mean));
    CHECK(isnan(kith_spread_of(&none, 1).std));
    CHECK_INT(kith_spread_of(NULL, 0).n, 0);
}
