import type { Proof, ProofKind } from '../model/storage/storage-rows.ts'

const words: Readonly<Record<ProofKind, string>> = {
  proven: 'proven',
  clean: 'observed clean',
  'may-be-old': 'may be old',
  stale: 'stale',
  unreadable: 'unreadable',
  unknown: 'unknown',
}

/** How well it is known what is stored. */
export const ProofBadge = ({ proof: { kind, because } }: { readonly proof: Proof }) => (
  <span class={`badge badge-${kind}`} title={because}>
    {words[kind]}
  </span>
)
