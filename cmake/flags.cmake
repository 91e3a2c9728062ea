# Every target of ours is compiled alike. Numbers do not depend on the preset: no contraction to fused operations.
add_library(zwang_flags INTERFACE)
target_compile_features(zwang_flags INTERFACE c_std_17)
target_compile_options(zwang_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wmissing-prototypes
  $<$<BOOL:${ZW_WERROR}>:-Werror>
  -ffp-contract=off
  -UNDEBUG # assertions stay on in every build type; ZW_NO_ASSERT turns ours off
)
target_compile_definitions(zwang_flags INTERFACE
  _POSIX_C_SOURCE=200809L # C17 and POSIX, nothing else: files, clock, terminal
  $<$<BOOL:${ZW_NO_ASSERT}>:ZW_NO_ASSERT>
)
