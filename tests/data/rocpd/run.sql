-- SPDX-License-Identifier: GPL-3.0-or-later
-- A small database in the form of rocprofv3's (schema 3): two steps of a decode loop on one GPU, of one process (4711)
-- and thread. run.db is made of it with pages of 512 bytes.
CREATE TABLE rocpd_metadata_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, tag TEXT NOT NULL, value TEXT NOT NULL);
INSERT INTO rocpd_metadata_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (tag, value) VALUES
  ('schema_version','3'),
  ('uuid','_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960'),
  ('guid','0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960');
CREATE TABLE rocpd_string_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, string TEXT NOT NULL);
INSERT INTO rocpd_string_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, string) VALUES
  (1,'KERNEL_DISPATCH'),
  (2,'HIP_RUNTIME_API'),
  (3,'MARKER_CORE_API'),
  (4,'MEMORY_COPY'),
  (5,'hipLaunchKernel'),
  (6,'hipMemcpyAsync'),
  (7,'hipStreamSynchronize'),
  (8,'roctxRangePushA'),
  (9,'MEMORY_COPY_DEVICE_TO_HOST'),
  (10,'hipMalloc'),
  (11,'MEMORY_ALLOCATION'),
  (12,'roctxGetThreadId');
CREATE TABLE rocpd_info_node_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, hash BIGINT NOT NULL, machine_id TEXT, hostname TEXT);
INSERT INTO rocpd_info_node_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, hash, machine_id, hostname) VALUES
  (7,70007,'secret-machine','secret-host');
CREATE TABLE rocpd_info_process_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, command TEXT, environment JSONB DEFAULT '{}' NOT NULL);
INSERT INTO rocpd_info_process_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, nid, ppid, pid, command, environment) VALUES
  (1,7,1,4711,'secret-command','{"TOKEN":"secret"}');
CREATE TABLE rocpd_info_thread_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER NOT NULL, name TEXT);
INSERT INTO rocpd_info_thread_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, nid, pid, tid, name) VALUES
  (1,7,1,4712,'worker');
CREATE TABLE rocpd_info_agent_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, nid INTEGER NOT NULL, pid INTEGER NOT NULL, type TEXT, absolute_index INTEGER, logical_index INTEGER, type_index INTEGER, name TEXT, model_name TEXT, product_name TEXT, extdata JSONB DEFAULT '{}' NOT NULL);
INSERT INTO rocpd_info_agent_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, nid, pid, type, absolute_index, logical_index, type_index, name, model_name, product_name, extdata) VALUES
  (0,7,1,'CPU',0,0,0,'Example CPU','','Example CPU','{}'),
  (4,7,1,'GPU',4,1,0,'gfx942','Instinct','Example Instinct','{"cu_count":304,"wave_front_size":64}');
CREATE TABLE rocpd_info_kernel_symbol_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, nid INTEGER NOT NULL, pid INTEGER NOT NULL, code_object_id INTEGER NOT NULL, kernel_name TEXT, display_name TEXT);
INSERT INTO rocpd_info_kernel_symbol_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, nid, pid, code_object_id, kernel_name, display_name) VALUES
  (10,7,1,1,'_Z4gemmPKfS0_Pfi.kd','gemm(float const*, float const*, float*, int)'),
  (11,7,1,1,'__amd_rocclr_fillBufferAligned.kd','');
CREATE TABLE rocpd_event_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, extdata JSONB DEFAULT '{}' NOT NULL);
INSERT INTO rocpd_event_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, category_id, stack_id, parent_stack_id, correlation_id, extdata) VALUES
  (1,3,101,0,0,'{"message":"decode"}'),
  (2,2,102,0,0,'{}'),
  (3,1,102,102,5,'{}'),
  (4,2,103,0,0,'{}'),
  (5,4,103,103,5,'{}'),
  (6,2,104,0,0,'{}'),
  (7,3,105,0,0,'{"message":"decode"}'),
  (8,2,106,0,0,'{}'),
  (9,1,106,106,5,'{}'),
  (10,2,107,0,0,'{}'),
  (11,1,107,107,0,'{}'),
  (12,2,108,0,0,'{}'),
  (13,2,109,0,0,'{}'),
  (14,11,109,0,0,'{}'),
  (15,11,0,0,0,'{}'),
  (16,3,110,0,0,'{}');
CREATE TABLE rocpd_region_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER NOT NULL, start BIGINT NOT NULL, end BIGINT NOT NULL, name_id INTEGER NOT NULL, event_id INTEGER);
INSERT INTO rocpd_region_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, nid, pid, tid, start, end, name_id, event_id) VALUES
  (101,7,1,1,1550151853000500,1550151853061000,8,1),
  (102,7,1,1,1550151853001000,1550151853006000,5,2),
  (103,7,1,1,1550151853007000,1550151853009000,6,4),
  (104,7,1,1,1550151853009500,1550151853060000,7,6),
  (105,7,1,1,1550151853100500,1550151853161000,8,7),
  (106,7,1,1,1550151853101000,1550151853106000,5,8),
  (107,7,1,1,1550151853107000,1550151853108000,5,10),
  (108,7,1,1,1550151853109500,1550151853160000,7,12),
  (109,7,1,1,1550151853070000,1550151853072500,10,13),
  (110,7,1,1,1550151853170000,1550151853170001,12,16);
CREATE TABLE rocpd_kernel_dispatch_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER, agent_id INTEGER NOT NULL, kernel_id INTEGER NOT NULL, dispatch_id INTEGER NOT NULL, queue_id INTEGER NOT NULL, stream_id INTEGER NOT NULL, start BIGINT NOT NULL, end BIGINT NOT NULL, workgroup_size_x INTEGER NOT NULL, workgroup_size_y INTEGER NOT NULL, workgroup_size_z INTEGER NOT NULL, grid_size_x INTEGER NOT NULL, grid_size_y INTEGER NOT NULL, grid_size_z INTEGER NOT NULL, region_name_id INTEGER, event_id INTEGER);
INSERT INTO rocpd_kernel_dispatch_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, end, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, region_name_id, event_id) VALUES
  (1,7,1,1,4,10,1,1,2,1550151853008000,1550151853048000,256,1,1,33792,2,1,NULL,3),
  (2,7,1,1,4,10,2,1,2,1550151853108000,1550151853148000,256,1,1,33792,2,1,NULL,9),
  (3,7,1,1,4,11,3,1,2,1550151853148500,1550151853149000,512,1,1,4096,1,1,NULL,11);
CREATE TABLE rocpd_memory_copy_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER, start BIGINT NOT NULL, end BIGINT NOT NULL, name_id INTEGER NOT NULL, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER NOT NULL, stream_id INTEGER, event_id INTEGER);
INSERT INTO rocpd_memory_copy_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, nid, pid, tid, start, end, name_id, dst_agent_id, src_agent_id, size, stream_id, event_id) VALUES
  (1,7,1,1,1550151853048500,1550151853052500,9,0,4,100000,2,5);
CREATE TABLE rocpd_memory_allocate_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id INTEGER NOT NULL PRIMARY KEY, guid TEXT DEFAULT '0000ddb5-6b5f-7c0e-9b6a-1d2c3b4a5960' NOT NULL, nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER, agent_id INTEGER, type TEXT, level TEXT, start BIGINT NOT NULL, end BIGINT NOT NULL, address INTEGER, size INTEGER NOT NULL, event_id INTEGER);
INSERT INTO rocpd_memory_allocate_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 (id, nid, pid, tid, agent_id, type, level, start, end, address, size, event_id) VALUES
  (1,7,1,1,4,'ALLOC','REAL',1550151853070500,1550151853072400,4096,1048576,14),
  (2,7,1,1,NULL,'FREE','REAL',1550151853165000,1550151853165100,4096,0,15),
  (3,7,1,1,4,'ALLOC','VIRTUAL',1550151853070500,1550151853072400,8192,1073741824,14);
CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960;
CREATE VIEW kernels AS SELECT K.id, S.display_name AS name, K.start, K.end FROM rocpd_kernel_dispatch_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 K INNER JOIN rocpd_info_kernel_symbol_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960 S ON S.id = K.kernel_id;
