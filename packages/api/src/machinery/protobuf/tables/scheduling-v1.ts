/** The messages of `scheduling.k8s.io/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const schedulingV1 = `
PriorityClass: 1 metadata meta.ObjectMeta, 2 value int32!, 3 globalDefault bool, 4 description string,
  5 preemptionPolicy string?
`
