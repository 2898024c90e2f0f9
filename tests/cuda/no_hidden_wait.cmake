# Every function of the front that takes a context and is not named wait_… is called by no_hidden_wait.test.cpp.
# cmake -DROOT=… -P no_hidden_wait.cmake
cmake_minimum_required(VERSION 3.24)
# Below the interface: parts of ops, and of objects that are tried as a whole.
set(internal gate_gradients gates_into fresh_cell_gradients gru_gates_of gru_gradients_to lstm_gradients_to rnn_cell_gradients_to summed_gates as_multiplied chain_values attention_backward attention_forward attention_scores attention_weights chain_gradients_to contract drop_in_place in_format with_chain with_matrices chunk_sums clear convolved convolve_into convolution_gradients fresh_convolution_gradients run_convolution curvature_sum fresh_pair linear_forward linear_gradients load_contents made make make_copy map_reduce norm
    batch_norm_forward batch_norm_gradients batch_norm_into batch_norm_made fill_known fresh_norm_gradients make_statistics max_pool_gradient max_pool_gradient_into max_pool_into max_pool_made max_pool_with_indices norm_bias_gradient norm_forward_into norm_gradients norm_map
    norm_weight_gradient norm_x_gradient track_running optimizer_memory optimizer_state parameter_memory product_gradients read run run_matmul scope send slope_sum sum_over run_max_pool unbroadcast unscaled
    embedding_gradient_into empty_rows clear_target cross_sum gather_beside_into gather_numbers index_put_into join_rows move pad_gradient_into padded_into put_rows resample resample_back run_cross sample_back sample_grid sample_slopes scatter_numbers sorted_keys take_rows)
list(APPEND internal cosine_of cosine_terms cumprod_gradient_into cumprod_terms cumsum_gradient_into log_sums logsumexp_gradient_into norm_terms pdist_gradient_into
    prod_gradient_into prod_terms renorm_gradient_into renorm_terms scan_into share_sums spread terms)
list(APPEND internal row_slope row_sums soft_loss_into soft_slope_into)
set(called 0)
file(READ ${ROOT}/tests/cuda/no_hidden_wait.test.cpp test)
file(GLOB headers ${ROOT}/include/amphora/ops/*.hpp ${ROOT}/include/amphora/tensor/*.hpp ${ROOT}/include/amphora/scale/*.hpp ${ROOT}/include/amphora/optimizer/*.hpp)
foreach(header ${headers})
  file(READ ${header} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "[ >&][a-z_]+\\(Context& context[,)]" found "${text}")
  foreach(each ${found})
    string(REGEX REPLACE "^.([a-z_]+)\\(.*" "\\1" name "${each}")
    if(name MATCHES "^wait_" OR name IN_LIST internal)
      continue()
    endif()
    if(NOT test MATCHES "[^a-z_]${name}(<[^;]*>)?[( ][^;]*context")
      message(SEND_ERROR "tests/cuda/no_hidden_wait.test.cpp does not call ${name} (${header})")
    endif()
    math(EXPR called "${called} + 1")
  endforeach()
endforeach()
if(called LESS 50)
  message(FATAL_ERROR "only ${called} functions were found")
endif()
message(STATUS "${called} functions")
