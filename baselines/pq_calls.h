/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of libpq, the client of PostgreSQL. */
#ifndef WEIR_BASELINES_PQ_CALLS_H
#define WEIR_BASELINES_PQ_CALLS_H

#include <libpq-fe.h>

#include "engine/base/library.h"

/* clang-format off */
#define WEIR_LIBPQ_CALLS(call) \
	call(PQclear) \
	call(PQcmdStatus) \
	call(PQcmdTuples) \
	call(PQconndefaults) \
	call(PQconnectPoll) \
	call(PQconnectStartParams) \
	call(PQconnectionNeedsPassword) \
	call(PQconninfo) \
	call(PQconninfoFree) \
	call(PQconninfoParse) \
	call(PQconsumeInput) \
	call(PQenterPipelineMode) \
	call(PQerrorMessage) \
	call(PQexitPipelineMode) \
	call(PQfinish) \
	call(PQflush) \
	call(PQfreemem) \
	call(PQftype) \
	call(PQgetResult) \
	call(PQgetisnull) \
	call(PQgetlength) \
	call(PQgetvalue) \
	call(PQisBusy) \
	call(PQntuples) \
	call(PQpipelineSync) \
	call(PQresultErrorField) \
	call(PQresultStatus) \
	call(PQsendPrepare) \
	call(PQsendQuery) \
	call(PQsendQueryPrepared) \
	call(PQsetErrorVerbosity) \
	call(PQsetNoticeProcessor) \
	call(PQsetnonblocking) \
	call(PQsocket) \
	call(PQstatus) \
	call(PQtransactionStatus)
/* clang-format on */

struct weir_libpq_calls {
	WEIR_LIBPQ_CALLS(WEIR_CALL_POINTER)
};

/* Loads the library. Fails with WEIR_E_IO. */
enum weir_status weir_libpq_load(struct weir_error *err);
/* Returns the calls, for the macros below. Valid after weir_libpq_load() returned WEIR_OK. */
const struct weir_libpq_calls *weir_libpq(void);

/* NOLINTBEGIN(readability-identifier-naming): these are the names of the library. */
#define PQclear                   (weir_libpq()->PQclear)
#define PQcmdStatus               (weir_libpq()->PQcmdStatus)
#define PQcmdTuples               (weir_libpq()->PQcmdTuples)
#define PQconndefaults            (weir_libpq()->PQconndefaults)
#define PQconnectPoll             (weir_libpq()->PQconnectPoll)
#define PQconnectStartParams      (weir_libpq()->PQconnectStartParams)
#define PQconnectionNeedsPassword (weir_libpq()->PQconnectionNeedsPassword)
#define PQconninfo                (weir_libpq()->PQconninfo)
#define PQconninfoFree            (weir_libpq()->PQconninfoFree)
#define PQconninfoParse           (weir_libpq()->PQconninfoParse)
#define PQconsumeInput            (weir_libpq()->PQconsumeInput)
#define PQenterPipelineMode       (weir_libpq()->PQenterPipelineMode)
#define PQerrorMessage            (weir_libpq()->PQerrorMessage)
#define PQexitPipelineMode        (weir_libpq()->PQexitPipelineMode)
#define PQfinish                  (weir_libpq()->PQfinish)
#define PQflush                   (weir_libpq()->PQflush)
#define PQfreemem                 (weir_libpq()->PQfreemem)
#define PQftype                   (weir_libpq()->PQftype)
#define PQgetResult               (weir_libpq()->PQgetResult)
#define PQgetisnull               (weir_libpq()->PQgetisnull)
#define PQgetlength               (weir_libpq()->PQgetlength)
#define PQgetvalue                (weir_libpq()->PQgetvalue)
#define PQisBusy                  (weir_libpq()->PQisBusy)
#define PQntuples                 (weir_libpq()->PQntuples)
#define PQpipelineSync            (weir_libpq()->PQpipelineSync)
#define PQresultErrorField        (weir_libpq()->PQresultErrorField)
#define PQresultStatus            (weir_libpq()->PQresultStatus)
#define PQsendPrepare             (weir_libpq()->PQsendPrepare)
#define PQsendQuery               (weir_libpq()->PQsendQuery)
#define PQsendQueryPrepared       (weir_libpq()->PQsendQueryPrepared)
#define PQsetErrorVerbosity       (weir_libpq()->PQsetErrorVerbosity)
#define PQsetNoticeProcessor      (weir_libpq()->PQsetNoticeProcessor)
#define PQsetnonblocking          (weir_libpq()->PQsetnonblocking)
#define PQsocket                  (weir_libpq()->PQsocket)
#define PQstatus                  (weir_libpq()->PQstatus)
#define PQtransactionStatus       (weir_libpq()->PQtransactionStatus)
/* NOLINTEND(readability-identifier-naming) */

#endif
