// Five units that include everything, built with different flags, in one program: each keeps the copy that it was built with.
int unit_plain();
int unit_again();
int unit_fast_math();
int unit_no_exceptions();
int unit_openmp();

int main() { return unit_plain() | unit_again() | unit_fast_math() | unit_no_exceptions() | unit_openmp(); }
