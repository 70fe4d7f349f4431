/// @file
/// What classes with virtual functions have in common.
#pragma once

namespace aapc {

/// Base of classes that are used through pointers to them: nobody copies them, and whoever owns one may destroy it
/// without knowing what it is.
class Polymorphic {
  public:
    Polymorphic() = default;
    Polymorphic(const Polymorphic&) = delete;
    Polymorphic& operator=(const Polymorphic&) = delete;
    virtual ~Polymorphic() = default;
};

}  // namespace aapc
