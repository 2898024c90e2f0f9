// Two errors, each with the slug.
template <class T> constexpr void require() { static_assert(sizeof(T) == 0, "amphora [some-rule]: wrong; write this"); }
#ifdef AMPHORA_FAIL_two_errors
int main() { require<int>(), require<char>(); }
#endif
