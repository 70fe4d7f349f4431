#include "mpi/ported.hpp"

#include "mpi/progress.hpp"
#include "plan/intranode/wire_plan.hpp"

namespace aapc::mpi {

namespace {

/// One exchange. A receive is posted when its ticket is there, and its sender is told so by a token; a send starts when
/// its token and its ticket are there.
class PortedRun {
  public:
    PortedRun(const Transport& transport, const Blocks& blocks, const std::vector<Rank>& receivers,
              const std::vector<Rank>& senders, machine::Turns out, machine::Turns in,
              PortedExecution::Requests& requests)
        : transport_(transport),
          blocks_(blocks),
          pieces_(static_cast<int>(transport.pieces(blocks.bytes))),
          receivers_(receivers),
          senders_(senders),
          out_(out),
          in_(in),
          tokens_(requests.tokens),
          tokens_given_(requests.tokens_given),
          sends_(requests.sends),
          receives_(requests.receives),
          inside_(requests.inside) {}

    /// What needs no ticket.
    [[nodiscard]] int start(const std::vector<Rank>& receivers_inside, const std::vector<Rank>& senders_inside);
    [[nodiscard]] int advance(int& progress);
    [[nodiscard]] bool complete() const {
        return out_.all_complete() && in_.all_complete() && tokens_given_.empty() && inside_.empty();
    }

  private:
    static int take_in(Pending& pending, int pieces, int& taken, machine::Turns& turns, int& progress);
    int start_receives(int& progress);
    int start_sends(int& progress);

    const Transport& transport_;
    const Blocks& blocks_;
    int pieces_;  ///< of each message
    const std::vector<Rank>& receivers_;
    const std::vector<Rank>& senders_;
    machine::Turns out_;
    machine::Turns in_;
    Pending& tokens_;
    bool token_is_there_ = false;  ///< that of the next send
    Pending& tokens_given_;
    Pending& sends_;
    Pending& receives_;
    Pending& inside_;
    int pieces_sent_ = 0;  ///< of messages that are not complete
    int pieces_received_ = 0;
};

int PortedRun::start(const std::vector<Rank>& receivers_inside, const std::vector<Rank>& senders_inside) {
    int error = MPI_SUCCESS;
    const auto for_each = [&error](const std::vector<Rank>& ranks, auto action) {
        for (std::size_t index = 0; error == MPI_SUCCESS && index < ranks.size(); ++index) {
            error = action(ranks[index]);
        }
    };
    for_each(receivers_, [&](Rank to) { return transport_.receive(nullptr, 0, to, Tag::token, tokens_); });
    for_each(senders_inside, [&](Rank from) {
        return transport_.receive(blocks_.from_rank(from), blocks_.bytes, from, Tag::data, inside_);
    });
    for_each(receivers_inside,
             [&](Rank to) { return transport_.send(blocks_.for_rank(to), blocks_.bytes, to, Tag::data, inside_); });
    return error;
}

int PortedRun::advance(int& progress) {
    int error = take_in(receives_, pieces_, pieces_received_, in_, progress);
    if (error == MPI_SUCCESS) {
        error = take_in(sends_, pieces_, pieces_sent_, out_, progress);
    }
    if (error == MPI_SUCCESS) {
        error = start_receives(progress);
    }
    if (error == MPI_SUCCESS) {
        error = start_sends(progress);
    }
    if (error == MPI_SUCCESS) {
        error = tokens_given_.test(progress);
    }
    return error == MPI_SUCCESS ? inside_.test(progress) : error;
}

/// Gives back the tickets of the messages whose pieces are all complete.
int PortedRun::take_in(Pending& pending, int pieces, int& taken, machine::Turns& turns, int& progress) {
    int complete = 0;
    const int error = pending.test(complete);
    progress += complete;
    for (taken += complete; taken >= pieces; taken -= pieces) {
        turns.complete_oldest();
    }
    return error;
}

int PortedRun::start_receives(int& progress) {
    while (in_.next_may_start()) {
        const Rank from = senders_[in_.started()];
        in_.start_next();
        ++progress;
        int error = transport_.receive(blocks_.from_rank(from), blocks_.bytes, from, Tag::data, receives_);
        if (error == MPI_SUCCESS) {
            error = transport_.send(nullptr, 0, from, Tag::token, tokens_given_);
        }
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

int PortedRun::start_sends(int& progress) {
    int error = MPI_SUCCESS;
    while (error == MPI_SUCCESS) {
        if (!token_is_there_) {
            error = tokens_.test_oldest(token_is_there_);
        }
        if (error != MPI_SUCCESS || !token_is_there_ || !out_.next_may_start()) {
            break;
        }
        const Rank to = receivers_[out_.started()];
        out_.start_next();
        token_is_there_ = false;
        ++progress;
        error = transport_.send(blocks_.for_rank(to), blocks_.bytes, to, Tag::data, sends_);
    }
    return error;
}

}  // namespace

PortedExecution::PortedExecution(const Transport& transport, const Plan& plan, MachineMemory::Share& share,
                                 LocalCopies* copies)
    : transport_(transport), plan_(plan), share_(share), copies_(copies) {
    for (const Transfer& send : plan.sends) {
        (machine::is_on_machine(plan, send.to) ? receivers_inside_ : receivers_).push_back(send.to);
    }
    for (const Transfer& receive : plan.receives) {
        (machine::is_on_machine(plan, receive.from) ? senders_inside_ : senders_).push_back(receive.from);
    }
    requests_.tokens.reserve(receivers_.size());
    requests_.tokens_given.reserve(senders_.size());
    requests_.sends.reserve(Transport::most_pieces * receivers_.size());
    requests_.receives.reserve(Transport::most_pieces * senders_.size());
    requests_.inside.reserve(Transport::most_pieces * (receivers_inside_.size() + senders_inside_.size()));
}

int PortedExecution::run(const Blocks& blocks) {
    const Plan::Tickets& tickets = *plan_.tickets;
    const Phase ports = plan_.synchronisation.block_phases;
    PortedRun run(transport_, blocks, receivers_, senders_,
                  machine::Turns(*share_.sends.shared, tickets.of_send, share_.sends.before, ports),
                  machine::Turns(*share_.receives.shared, tickets.of_receive, share_.receives.before, ports),
                  requests_);
    share_.sends.before += static_cast<std::uint64_t>(tickets.machine_sends);
    share_.receives.before += static_cast<std::uint64_t>(tickets.machine_receives);
    if (const int error = run.start(receivers_inside_, senders_inside_); error != MPI_SUCCESS) {
        return error;
    }
    return advance_until([&] { return run.complete(); },
                         [&](int& progress) {
                             const int error = run.advance(progress);
                             if (progress == 0) {
                                 transport_.let_others_go_on();  // it may be a ticket that is waited for
                             }
                             return error == MPI_SUCCESS ? advance_copies(copies_, progress) : error;
                         });
}

}  // namespace aapc::mpi
