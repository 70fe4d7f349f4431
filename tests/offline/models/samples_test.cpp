#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aapc/offline/contention.hpp"

namespace aapc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ContentionSamples, AreRead) {
    const auto samples = read_contention_samples(
        "# measured by hand\nranks,message_bytes,seconds\r\n16,1024,0.0125\n\n 24 , 4096 ,1e-3\n", "f.csv");
    ASSERT_TRUE(samples.has_value()) << to_string(samples.error());
    EXPECT_THAT(*samples, ElementsAre(ContentionSample{16, 1024, 0.0125}, ContentionSample{24, 4096, 1e-3}));
}

struct Mistake {
    const char* text;
    int line;
    int column;
    const char* what;
};

class ContentionSamplesMistake : public testing::TestWithParam<Mistake> {};

TEST_P(ContentionSamplesMistake, HasItsPlace) {
    const auto samples = read_contention_samples(GetParam().text, "f.csv");
    ASSERT_FALSE(samples.has_value());
    EXPECT_EQ(samples.error().file, "f.csv");
    EXPECT_EQ(samples.error().line, GetParam().line);
    EXPECT_EQ(samples.error().column, GetParam().column);
    EXPECT_THAT(to_string(samples.error()), HasSubstr(GetParam().what));
}

INSTANTIATE_TEST_SUITE_P(
    Files, ContentionSamplesMistake,
    testing::Values(Mistake{"", 1, 1, "no samples"}, Mistake{"ranks,bytes,seconds\n", 1, 1, "begin with the line"},
                    Mistake{"ranks,message_bytes,seconds\n16,1024\n", 2, 9, "seconds is missing"},
                    Mistake{"ranks,message_bytes,seconds\n16,1024,0.1,7\n", 2, 13, "fourth field"},
                    Mistake{"ranks,message_bytes,seconds\n16,1k,0.1\n", 2, 4, "'1k' is no value for message_bytes"},
                    Mistake{"ranks,message_bytes,seconds\nx,1,0.1\n", 2, 1, "'x' is no value for ranks"},
                    Mistake{"ranks,message_bytes,seconds\n16,1,nan\n", 2, 1, "no measured all-to-all"},
                    Mistake{"ranks,message_bytes,seconds\n16,1,-1\n", 2, 1, "no measured all-to-all"},
                    Mistake{"ranks,message_bytes,seconds\n1,1,1\n", 2, 1, "no measured all-to-all"},
                    Mistake{"ranks,message_bytes,seconds\n16,99999999999999999999,1\n", 2, 4, "no value"}));

}  // namespace
}  // namespace aapc
