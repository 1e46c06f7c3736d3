// The operator's desk of a house without doors.
import { createDocuments } from '#memory/documents.ts'
import { createDesk, type Desk } from '#turns/operator.ts'
import { type House, tools } from '../../turns/house.ts'

export function deskOf({ turns, store }: Pick<House, 'turns' | 'store'>): Desk {
  return createDesk({
    turns,
    documents: createDocuments({ store: store.documents }),
    tools: () => tools,
    policy: () => ({}),
    status: () => Promise.resolve({ provider: 'p', model: 'm', passedOver: [], costTodayUsd: 0.5, doors: [] }),
  })
}
