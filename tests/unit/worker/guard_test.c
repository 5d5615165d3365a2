/* guard_test.c: what libstdc++ says of a failed check, as people write the type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/worker/words/guard.h"

static const struct {
    wb_guard kind;
    const char *type, *function;
} rows[] = {
    {WB_GUARD_INDEX, "std::vector<int>",
     "std::vector<_Tp, _Alloc>::reference std::vector<_Tp, _Alloc>::operator[](size_type) [with "
     "_Tp "
     "= int; _Alloc = std::allocator<int>; reference = int&; size_type = long unsigned int]"},
    {WB_GUARD_INDEX, "std::vector<std::vector<float>>",
     "std::vector<_Tp, _Alloc>::const_reference std::vector<_Tp, _Alloc>::operator[](size_type) "
     "const [with _Tp = std::vector<float>; _Alloc = std::allocator<std::vector<float> >; "
     "const_reference = const std::vector<float>&; size_type = long unsigned int]"},
    {WB_GUARD_INDEX, "std::array<int, 3>",
     "constexpr std::array<_Tp, _Nm>::value_type& std::array<_Tp, _Nm>::operator[](size_type) "
     "[with "
     "_Tp = int; long unsigned int _Nm = 3; reference = int&; size_type = long unsigned int]"},
    {WB_GUARD_EMPTY, "std::string",
     "std::__cxx11::basic_string<_CharT, _Traits, _Alloc>::reference "
     "std::__cxx11::basic_string<_CharT, _Traits, _Alloc>::front() [with _CharT = char; _Traits = "
     "std::char_traits<char>; _Alloc = std::allocator<char>; reference = char&]"},
    {WB_GUARD_EMPTY, "std::queue<int>",
     "void std::queue<_Tp, _Sequence>::pop() [with _Tp = int; _Sequence = std::deque<int, "
     "std::allocator<int> >]"},
    {WB_GUARD_VALUE, "std::optional<int>",
     "constexpr _Tp& std::_Optional_base_impl<_Tp, _Dp>::_M_get() [with _Tp = int; _Dp = "
     "std::_Optional_base<int, true, true>]"},
    {WB_GUARD_NULL, "std::unique_ptr<int>",
     "typename std::add_lvalue_reference<_Tp>::type std::unique_ptr<_Tp, _Dp>::operator*() const "
     "[with _Tp = int; _Dp = std::default_delete<int>; typename "
     "std::add_lvalue_reference<_Tp>::type "
     "= int&]"},
    {WB_GUARD_NULL, "std::unique_ptr<Node>",
     "std::unique_ptr<_Tp, _Dp>::pointer std::unique_ptr<_Tp, _Dp>::operator->() const [with _Tp = "
     "Node; _Dp = std::default_delete<Node>; pointer = Node*]"},
    {WB_GUARD_NULL, "std::shared_ptr<int>",
     "std::__shared_ptr_access<_Tp, _Lp, <anonymous>, <anonymous> >::element_type& "
     "std::__shared_ptr_access<_Tp, _Lp, <anonymous>, <anonymous> >::operator*() const [with _Tp = "
     "int; __gnu_cxx::_Lock_policy _Lp = __gnu_cxx::_S_atomic; bool <anonymous> = false; bool "
     "<anonymous> = false; element_type = int]"},
    {WB_GUARD_OTHER, "std::clamp",
     "constexpr const _Tp& std::clamp(const _Tp&, const _Tp&, const _Tp&) [with _Tp = int]"},
    {WB_GUARD_OTHER, "f", "int f()"},
    {WB_GUARD_OTHER, "", ""},
};

static void test_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < WB_COUNT(rows); i++) {
        char type[200];
        assert_int_equal(wb_guard_read(rows[i].function, type, sizeof type), rows[i].kind);
        assert_string_equal(type, rows[i].type);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
