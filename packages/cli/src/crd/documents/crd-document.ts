import type { CustomResourceDefinition } from '@strata/api'
import type { FieldPath } from '@strata/insight'

/** Where a CRD is written. */
export interface CrdPlace {
  /** As the user named it, or found in the directory that the user named. */
  readonly file: string
  /** Its position among the YAML documents of the file, from 1. */
  readonly document: number
  /** How many documents the file has. */
  readonly documents: number
  /** The line of the file in which the document begins, from 1. */
  readonly line: number
}

/** A CRD that was read from a file. */
export interface CrdDocument {
  /** `lamps.example.dev` */
  readonly name: string
  readonly place: CrdPlace
  /** In which the file has it: `apiextensions.k8s.io/v1`, or `…/v1beta1` of releases before 2021. */
  readonly apiVersion: string
  /** As an API server decodes it: converted to v1, with defaults, without unknown fields. */
  readonly crd: CustomResourceDefinition
  /** What the file has, to send it to a server. */
  readonly manifest: Readonly<Record<string, unknown>>
  /** Fields that no API server knows: kubectl refuses the file for them, other clients drop them. */
  readonly unknownFields: readonly string[]
  /** The line in which a field of the manifest stands; of the nearest field above it, if it has none. */
  lineOf(path: FieldPath): number
}

/** `lamps.yaml`, or `lamps.yaml (document 2)` if the file has several. */
export function placeText({ file, document, documents }: CrdPlace): string {
  return documents === 1 ? file : `${file} (document ${document})`
}
