import { type CustomResourceDefinition, isEstablished, jsonEqual } from '@strata/api'

/** Whether both CRDs read, write and show instances alike. */
export function definesTheSame(one: CustomResourceDefinition, other: CustomResourceDefinition): boolean {
  return (
    one.metadata.uid === other.metadata.uid &&
    one.metadata.generation === other.metadata.generation &&
    (one.metadata.deletionTimestamp === undefined) === (other.metadata.deletionTimestamp === undefined) &&
    isEstablished(one) === isEstablished(other) &&
    jsonEqual(one.status.acceptedNames, other.status.acceptedNames)
  )
}
