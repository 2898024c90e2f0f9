// Does not compile as it stands.
template <class T> constexpr void require() { static_assert(sizeof(T) == 0, "amphora [some-rule]: wrong; write this"); }
int main() { require<int>(); }
