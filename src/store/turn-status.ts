// SQL conditions on the status of a turn. Unfinished and broken turns are few among all stored ones, so each kind has a
// partial index. SQLite uses such an index only if the statement has its condition word for word: each of these begins
// with the condition of its index.

/** Turns that occupy their thread. */
export const isActive = `status IN ('running', 'waiting')`
export const isRunning = `${isActive} AND status = 'running'`
export const isWaiting = `status = 'waiting'`
/** The stored word differs, see `storedStatus`. */
export const isCompleted = `status = 'done'`
export const isQueued = `status = 'queued'`
export const isBroken = `status IN ('failed', 'cancelled')`
export const isFailed = `${isBroken} AND status = 'failed'`
export const isCancelled = `${isBroken} AND status = 'cancelled'`
/** Turns whose end may be news: they failed, or took over a minute. */
export const isNews = `(status = 'failed' OR (status = 'done' AND ended_at - created_at > 60000))`
