#include "mpi/execution.hpp"

#include "mpi/forwarding.hpp"
#include "mpi/in_order.hpp"
#include "mpi/timed.hpp"
#include "mpi/windowed.hpp"

namespace aapc::mpi {

std::unique_ptr<Execution> make_execution(const Transport& transport, const Plan& plan,
                                          const ExchangeOptions& options) {
    if (plan.forwarding) {
        return std::make_unique<ForwardingExecution>(transport, plan);
    }
    switch (plan.synchronisation.kind) {
        case Synchronisation::Kind::window:
            return std::make_unique<WindowedExecution>(transport, plan);
        case Synchronisation::Kind::timed:
            return std::make_unique<TimedExecution>(transport, plan, options);
        default:
            return std::make_unique<InOrderExecution>(transport, plan);
    }
}

}  // namespace aapc::mpi
