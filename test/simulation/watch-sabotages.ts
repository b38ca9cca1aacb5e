import { answerPastWithPresent } from './lying-store.ts'
import { dropEveryEvent, promiseTooMuch } from './lying-transport.ts'
import type { Sabotage } from './sabotage.ts'

/** What is promised of lists and watches, broken one promise at a time. */
export const watchSabotages: readonly Sabotage[] = [
  {
    name: 'events-dropped',
    breaks: 'watch: every fifth event of a server is dropped',
    caughtBy: ['true-watches', 'complete-watches'],
    wrapHandle: dropEveryEvent(5),
    shape: { watchers: 2 },
  },
  {
    name: 'bookmark-ahead',
    breaks: 'watch: a bookmark names a revision that has not been delivered yet',
    caughtBy: ['true-watches', 'complete-watches'],
    wrapHandle: promiseTooMuch,
    shape: { watchers: 3, clients: 4 },
  },
  {
    name: 'past-is-present',
    breaks: 'list: a revision of the past, and the next page of a list, are answered with what stands now',
    caughtBy: ['true-lists'],
    wrapConnection: answerPastWithPresent,
    shape: { watchers: 3, clients: 4 },
  },
]
