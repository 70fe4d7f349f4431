#include "aapc/timetable/timetable.hpp"

namespace aapc {

std::string_view to_string(Guarantee guarantee) {
    switch (guarantee) {
        case Guarantee::shortest:
            return "shortest";
        case Guarantee::contention_free:
            return "contention-free";
        case Guarantee::within_capacity:
            return "within-capacity";
        case Guarantee::one_port:
            return "one-port";
        case Guarantee::nothing:
            break;
    }
    return "nothing";
}

}  // namespace aapc
