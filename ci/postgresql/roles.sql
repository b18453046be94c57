-- SPDX-License-Identifier: GPL-3.0-or-later
-- Creates a role for runners of CI: it may read everything and add runs, but not promote, remove, prune, pin or migrate.
-- Run it as the owner of the store, after the first `weir baseline record`, and again after each migration:
--
--     psql -v runner=weir_runner -f ci/postgresql/roles.sql postgresql://weir@db.example.org/weir
--
-- Then give the role a password (\password weir_runner) or a certificate, and let pg_hba.conf accept it.

\set ON_ERROR_STOP on
\if :{?runner}
\else
	\set runner weir_runner
\endif

BEGIN;
SELECT format('CREATE ROLE %I LOGIN', :'runner')
	WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = :'runner') \gexec
GRANT CONNECT ON DATABASE :"DBNAME" TO :"runner";
REVOKE ALL ON ALL TABLES IN SCHEMA weir FROM :"runner";
REVOKE ALL ON SCHEMA weir FROM :"runner";
GRANT USAGE ON SCHEMA weir TO :"runner";
GRANT SELECT ON ALL TABLES IN SCHEMA weir TO :"runner";
GRANT INSERT ON weir.baseline, weir.run, weir.label, weir.series, weir.member TO :"runner";
GRANT INSERT, DELETE ON weir.receipt TO :"runner";
-- A run that was recorded without a verdict may get one later.
GRANT UPDATE (bound, cause, seal) ON weir.run TO :"runner";
COMMIT;
