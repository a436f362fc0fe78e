# Headers that need more than Hana and range-v3 belong to triosim::io: whatever reads or writes files.
set(TRIOSIM_IO_HEADERS "^triosim/(io\\.hpp|io/|chakra/|pytorch/|report/(csv|json|timeline|html))")
