export { type MigrationEvent, quarantineEvents } from './decide-event.ts'
export { EventRecorder, type Subject } from './event-recorder.ts'
