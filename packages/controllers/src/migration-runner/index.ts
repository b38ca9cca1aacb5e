export {
  decidePrune,
  type PruneDecision,
  type PruneEvidence,
  type PruneFacts,
  prunePatch,
} from './decide-prune.ts'
export { acceptAnnotation, acceptedProof, pruneEvidenceOf } from './prune-evidence.ts'
