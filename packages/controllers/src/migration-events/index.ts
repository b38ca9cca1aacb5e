export { type Happening, happeningsOf } from './decide-event.ts'
export { EventTeller, type Subject } from './event-teller.ts'
