// One error with its slug.
template <class T> constexpr void require() { static_assert(sizeof(T) == 0, "amphora [some-rule]: wrong; write this"); }
#ifdef AMPHORA_FAIL_good
int main() { require<int>(); }
#endif
