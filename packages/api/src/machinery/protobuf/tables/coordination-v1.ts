/** The messages of `coordination.k8s.io/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const coordinationV1 = `
Lease: 1 metadata meta.ObjectMeta, 2 spec LeaseSpec
LeaseSpec: 1 holderIdentity string?, 2 leaseDurationSeconds int32?, 3 acquireTime microTime?,
  4 renewTime microTime?, 5 leaseTransitions int32?, 6 strategy string?, 7 preferredHolder string?
`
