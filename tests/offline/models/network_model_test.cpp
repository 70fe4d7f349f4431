// The document of a measured network: written, read back, and refused where something is missing.
#include "aapc/offline/network_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace aapc {
namespace {

using nlohmann::json;
using testing::HasSubstr;

ContentionFit fit_of(double gamma, bool with_delta) {
    ContentionFit fit;
    fit.link = {51e-6, 1.0 / 3e8};
    fit.gamma = {gamma, {gamma / 1.1, gamma * 1.1, usual_confidence}};
    fit.delta = {0, {0, std::numeric_limits<double>::infinity(), usual_confidence}};
    if (with_delta) {
        fit.delta = {4.93e-3, {4.5e-3, 5.4e-3, usual_confidence}};
        fit.threshold = ThresholdInterval{4096, 8192};
        fit.next = NextMeasurement{16, 5793, "The middle."};
    }
    fit.delta_probability = 0.002;
    fit.relative_deviation = 0.05;
    fit.samples = 32;
    fit.fewest_ranks = 8;
    fit.most_ranks = 40;
    fit.smallest_bytes = 256;
    fit.largest_bytes = 1 << 20;
    fit.remarks = {"One.", "Two."};
    fit.variance_gamma = 1e-3;
    fit.variance_delta = 2e-9;
    fit.covariance = -3e-7;
    fit.quantile = 2.04;
    fit.method = "tree/merged+timed";
    return fit;
}

NetworkModel grid() {
    return {{{"nancy", fit_of(2.6887, true)}, {"rennes", fit_of(1.02, false)}},
            WideAreaFit{{8e-3, 1e-8}, 7.9e-3, {{1, 1e-6, 5e-7, 6e-7}, {65536, 5e-4, 3e-5, 4e-5}}}};
}

TEST(NetworkModelDocument, ComesBackAsItWas) {
    for (const NetworkModel& model : {grid(), NetworkModel{{{"", fit_of(4.3628, true)}}, std::nullopt}}) {
        const std::string text = network_model_json(model);
        const auto read = read_network_model(text, "model.json");
        ASSERT_TRUE(read) << to_string(read.error());
        EXPECT_EQ(network_model_json(*read), text);
        ASSERT_EQ(read->clusters.size(), model.clusters.size());
        for (std::size_t index = 0; index < model.clusters.size(); ++index) {
            const ContentionFit& fit = read->clusters[index].fit;
            EXPECT_EQ(read->clusters[index].name, model.clusters[index].name);
            EXPECT_EQ(fit.gamma, model.clusters[index].fit.gamma);
            EXPECT_EQ(fit.delta, model.clusters[index].fit.delta);
            EXPECT_EQ(fit.method, model.clusters[index].fit.method);
            EXPECT_EQ(fit.threshold.has_value(), model.clusters[index].fit.threshold.has_value());
            for (const std::int64_t bytes : {1, 5000, 1 << 20}) {
                EXPECT_EQ(predict_seconds(fit, 12, bytes), predict_seconds(model.clusters[index].fit, 12, bytes));
            }
        }
        EXPECT_EQ(read->wide_area.has_value(), model.wide_area.has_value());
    }
    EXPECT_EQ(read_network_model(network_model_json(grid()), "")->wide_area->gaps, grid().wide_area->gaps);
}

TEST(NetworkModelDocument, OneSignatureIsThePlainDocument) {
    const ContentionFit fit = fit_of(2, true);
    EXPECT_EQ(network_model_json({{{"", fit}}, std::nullopt}), contention_json(fit));
    EXPECT_EQ(json::parse(contention_json(fit)).at("format"), "aapc-fit/1");
    EXPECT_EQ(json::parse(network_model_json(grid())).at("format"), "aapc-grid-fit/1");
}

TEST(NetworkModelDocument, WithoutAnyOfItsMembersIsRefused) {
    const json whole = json::parse(network_model_json(grid()));
    const auto refusal = [](const json& document) {
        const auto read = read_network_model(document.dump(), "model.json");
        return read ? "nothing" : to_string(read.error());
    };
    EXPECT_EQ(refusal(whole), "nothing");
    EXPECT_THAT(refusal(json::array()), HasSubstr("model.json: is no document of format"));
    // Every member of every level, removed and made a list in turn.
    int refused = 0;
    const json flat = whole.flatten();
    for (const auto& [pointer, value] : flat.items()) {
        const bool optional =
            pointer.find("/next") != std::string::npos || pointer.find("/threshold") != std::string::npos ||
            pointer.find("/remarks/") != std::string::npos || value.is_null() ||
            pointer.find("/method") != std::string::npos || pointer.find("interval/1") != std::string::npos;
        if (optional) {
            continue;
        }
        json damaged = whole;
        damaged[json::json_pointer(pointer)] = json::array({1});
        EXPECT_THAT(refusal(damaged), HasSubstr("model.json: ")) << pointer;
        ++refused;
    }
    EXPECT_GT(refused, 40);
    for (const char* member : {"/clusters", "/clusters/0/name", "/clusters/0/fit", "/clusters/1/fit/quantile",
                               "/wide_area/alpha_seconds", "/wide_area/gaps"}) {
        json damaged = whole;
        const json::json_pointer pointer(member);
        damaged[pointer.parent_pointer()].erase(pointer.back());
        EXPECT_THAT(refusal(damaged), HasSubstr("model.json: ")) << member;
    }
}

TEST(NetworkModelDocument, NumbersThatNoNetworkHasAreRefused) {
    const json whole = json::parse(network_model_json(grid()));
    for (const auto& [member, value] :
         std::initializer_list<std::pair<const char*, double>>{{"/clusters/0/fit/alpha_seconds", -1e-6},
                                                               {"/clusters/0/fit/beta_seconds_per_byte", 0},
                                                               {"/clusters/1/fit/gamma/value", 0},
                                                               {"/clusters/1/fit/delta/value", -1},
                                                               {"/wide_area/gaps/0/message_bytes", 1.5},
                                                               {"/wide_area/gaps/0/message_bytes", 2e77},
                                                               {"/clusters/0/fit/samples/number", 2e77},
                                                               {"/wide_area/beta_seconds_per_byte", 0}}) {
        json damaged = whole;
        damaged[json::json_pointer(member)] = value;
        EXPECT_FALSE(read_network_model(damaged.dump(), "model.json")) << member;
    }
}

TEST(NetworkModel, ASignatureWithoutANameIsForEveryCluster) {
    NetworkModel model = grid();
    EXPECT_EQ(find_fit(model, "nancy"), &model.clusters[0].fit);
    EXPECT_EQ(find_fit(model, "lille"), nullptr);
    model.clusters[1].name.clear();
    EXPECT_EQ(find_fit(model, "lille"), &model.clusters[1].fit);
    EXPECT_EQ(find_fit(model, "nancy"), &model.clusters[0].fit);
}

TEST(NextWithin, StaysInsideWhatThereIs) {
    ContentionFit fit = fit_of(2, true);
    fit.next = NextMeasurement{80, 1 << 22, "More."};
    EXPECT_EQ(next_within(fit, 80, 1 << 22)->ranks, 80);
    EXPECT_EQ(next_within(fit, 80, 1 << 20)->message_bytes, 1 << 20);
    EXPECT_EQ(next_within(fit, 64, 1 << 22)->ranks, 64) << "more than were measured";
    EXPECT_EQ(next_within(fit, 40, 1 << 22)->ranks, 4) << "fewer than were measured";
    fit.fewest_ranks = 3;
    EXPECT_EQ(next_within(fit, 40, 1 << 22), std::nullopt);
    fit.next.reset();
    EXPECT_EQ(next_within(fit, 80, 1 << 22), std::nullopt);
}

}  // namespace
}  // namespace aapc
