// What is said of queues, and what was found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aapc/check/queues.hpp"

namespace aapc {

namespace {

/// Two computations of one queue, in messages, differ by rounding only.
bool same_queue(double left, double right) { return std::abs(left - right) <= 1e-6 * std::max(1.0, right); }

double messages_of(const QueueCertificate& certificate, const LinkQueue& link) {
    return certificate.largest_segment_bytes > 0 ? link.queue_bytes / certificate.largest_segment_bytes : 0;
}

}  // namespace

std::optional<Violation> check_queue_claim(const QueueCertificate& certificate, const Network& network,
                                           const QueueClaim& claim) {
    if (!same_queue(claim.messages, certificate.segments())) {
        return Violation{fmt::format("The longest queue is said to be {:.6g} messages, but there is {}.",
                                     claim.messages, queue_text(certificate, network))};
    }
    if (claim.messages <= 0) {
        return std::nullopt;
    }
    const std::string name = fmt::format("{}->{}", claim.from, claim.to);
    const auto found = std::find_if(certificate.links.begin(), certificate.links.end(),
                                    [&](const LinkQueue& link) { return link_name(network, link.link) == name; });
    if (found == certificate.links.end()) {
        return Violation{
            fmt::format("The longest queue is said to be on {}, which is no link that any message uses.", name)};
    }
    if (const double messages = messages_of(certificate, *found); !same_queue(claim.messages, messages)) {
        return Violation{
            fmt::format("The longest queue is said to be on {}, but there {:.6g} messages wait at most; {}.", name,
                        messages, queue_text(certificate, network))};
    }
    return std::nullopt;
}

std::optional<Violation> check_buffers(const QueueCertificate& certificate, const Network& network,
                                       double segment_bytes) {
    for (const LinkQueue& link : certificate.links) {
        const auto buffer = static_cast<double>(network.buffer_bytes(link.link));
        const double waiting = messages_of(certificate, link) * segment_bytes;
        if (buffer > 0 && waiting > buffer) {
            return Violation{
                fmt::format("On {} up to {:.0f} bytes wait, in segments of {:.0f}, but the port holds {:.0f}.",
                            link_name(network, link.link), waiting, segment_bytes, buffer)};
        }
    }
    return std::nullopt;
}

std::string link_name(const Network& network, DirectedLink directed) {
    const Link& link = network.links()[static_cast<std::size_t>(directed / 2)];
    const bool upwards = directed % 2 == 0;
    const auto name = [&](Vertex vertex) { return network.vertices()[static_cast<std::size_t>(vertex)].name; };
    return fmt::format("{}->{}", name(upwards ? link.lower : link.upper), name(upwards ? link.upper : link.lower));
}

std::string queue_text(const QueueCertificate& certificate, const Network& network) {
    const LinkQueue& longest = certificate.longest;
    if (longest.queue_bytes <= 0) {
        return "no queue";
    }
    const std::string messages = fmt::format("{:.3g}", certificate.segments());
    return fmt::format("longest queue {} {} on {}, at {:.4g} of the cycle", messages,
                       messages == "1" ? "message" : "messages", link_name(network, longest.link), longest.at);
}

std::string to_string(const QueueCertificate& certificate, const Network& network) {
    return fmt::format("cycle {:.4g} of the bound; {}; {}", certificate.cycle_over_bound(),
                       queue_text(certificate, network), certificate.sample);
}

}  // namespace aapc
