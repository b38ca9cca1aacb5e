/** The messages of `policy/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const policyV1 = `
PodDisruptionBudget: 1 metadata meta.ObjectMeta, 2 spec PodDisruptionBudgetSpec,
  3 status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: 1 minAvailable intOrString, 2 selector meta.LabelSelector,
  3 maxUnavailable intOrString, 4 unhealthyPodEvictionPolicy string?
PodDisruptionBudgetStatus: 1 observedGeneration int64, 2 disruptedPods {time}, 3 disruptionsAllowed int32!,
  4 currentHealthy int32!, 5 desiredHealthy int32!, 6 expectedPods int32!, 7 conditions [meta.Condition]
`
