import { type CustomResourceDefinition, isEstablished, jsonEqual } from '@strata/api'

/** Whether instances are read, written and told about by both in the same way. */
export function definesTheSame(one: CustomResourceDefinition, other: CustomResourceDefinition): boolean {
  return (
    one.metadata.uid === other.metadata.uid &&
    one.metadata.generation === other.metadata.generation &&
    (one.metadata.deletionTimestamp === undefined) === (other.metadata.deletionTimestamp === undefined) &&
    isEstablished(one) === isEstablished(other) &&
    jsonEqual(one.status.acceptedNames, other.status.acceptedNames)
  )
}
