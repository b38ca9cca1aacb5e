/** The messages of `autoscaling/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const autoscalingV1 = `
Scale: 1 metadata meta.ObjectMeta, 2 spec ScaleSpec, 3 status ScaleStatus
ScaleSpec: 1 replicas int32
ScaleStatus: 1 replicas int32!, 2 selector string
`
