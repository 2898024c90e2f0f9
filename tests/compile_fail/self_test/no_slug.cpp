// One error, but another rule's, while a note and the source that is echoed name amphora [some-rule]: this one.
template <class T> constexpr void require() { static_assert(sizeof(T) == 0, "amphora [other-rule]: wrong; not amphora [some-rule] this"); }
#ifdef AMPHORA_FAIL_no_slug
int main() { require<int>(); /* amphora [some-rule]: */ }
#endif
