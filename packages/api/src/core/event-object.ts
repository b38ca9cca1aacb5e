import type { ApiObject } from '../meta/object.ts'
import type { ObjectReference } from './object-reference.ts'

/** An event as core/v1 has it, which is also the hub. */
export interface Event extends ApiObject {
  involvedObject?: ObjectReference
  reason?: string
  message?: string
  source?: { component?: string; host?: string }
  firstTimestamp?: string | null
  lastTimestamp?: string | null
  count?: number
  type?: string
  /** With microseconds. Events that have one are of the newer style, with a controller that reports them. */
  eventTime?: string | null
  series?: { count?: number; lastObservedTime?: string | null }
  action?: string
  related?: ObjectReference
  reportingComponent?: string
  reportingInstance?: string
}
