// docs/schedule-documents.md is true: its examples are schedules.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aapc/methods/schedule_file.hpp"
#include "aapc/offline/schedule_text.hpp"
#include "support/networks.hpp"
#include "topology/files.hpp"

namespace aapc {
namespace {

/// What stands between ```json and ``` in a page.
std::vector<std::string> json_examples(const std::string& page) {
    const std::string opening = "\n```json\n";
    std::vector<std::string> examples;
    for (std::size_t begin = page.find(opening); begin != std::string::npos; begin = page.find(opening, begin)) {
        begin += opening.size();
        examples.push_back(page.substr(begin, page.find("\n```", begin) + 1 - begin));
    }
    return examples;
}

TEST(Documentation, ExamplesAreSchedulesAndWrittenAlike) {
    const auto examples = json_examples(test::contents(AAPC_SOURCE_DIRECTORY "/docs/schedule-documents.md"));
    ASSERT_EQ(examples.size(), 3U);
    for (const std::string& example : examples) {
        const auto document = read_schedule_document(example, "example");
        ASSERT_TRUE(document) << to_string(document.error());
        const Network network = test::chain_of({static_cast<int>(document->participants.size())}).build();
        const auto schedule = check_schedule(document->draft, network, full_placement(network));
        ASSERT_TRUE(schedule) << schedule.error().what;
        EXPECT_EQ(schedule_json(*schedule, document->synchronisation, document->edges), example);
        if (document->queue) {
            const auto certificate = certify_queues(*schedule);
            ASSERT_TRUE(certificate) << certificate.error().what;
            const auto violation = check_queue_claim(*certificate, network, *document->queue);
            EXPECT_FALSE(violation) << violation->what;
        }
    }
}

}  // namespace
}  // namespace aapc
