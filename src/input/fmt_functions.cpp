// The functions of fmt that are no templates, compiled once. Its header-only form compiles them again in every file
// that formats anything, which took three quarters of the time to build; its shared library is nothing that a preloaded
// object should need. They are in a namespace of their own (target aapc_fmt), so that a program's fmt and this one
// never meet.
#include <fmt/format-inl.h>

// Templates that fmt's headers declare and leave to whoever compiles its functions.
template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
template auto fmt::detail::dragonbox::to_decimal<float>(float) noexcept -> decimal_fp<float>;
template auto fmt::detail::dragonbox::to_decimal<double>(double) noexcept -> decimal_fp<double>;
template fmt::detail::locale_ref::locale_ref(const std::locale&);
template auto fmt::detail::locale_ref::get<std::locale>() const -> std::locale;
#if FMT_VERSION >= 100000
template void fmt::detail::vformat_to(buffer<char>&, string_view, typename vformat_args<>::type, locale_ref);
#endif
