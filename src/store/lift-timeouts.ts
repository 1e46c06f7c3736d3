// Transactions that may take long, such as a backup: no time limit of the server ends them, whoever has set it.
import type { ClientBase } from 'pg'

const timeouts = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']

/** For the transaction that is open. Earlier servers do not know every one of them. */
export async function liftTimeouts(client: Pick<ClientBase, 'query'>): Promise<void> {
  await client.query(`SELECT set_config(name, '0', true) FROM pg_settings WHERE name = ANY ($1)`, [timeouts])
}
