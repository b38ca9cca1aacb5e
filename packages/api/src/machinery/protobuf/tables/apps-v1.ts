/** The messages of `apps/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const appsV1 = `
Deployment: 1 metadata meta.ObjectMeta, 2 spec DeploymentSpec, 3 status DeploymentStatus
DeploymentCondition: 1 type string!, 2 status string!, 6 lastUpdateTime time, 7 lastTransitionTime time,
  4 reason string, 5 message string
DeploymentSpec: 1 replicas int32?, 2 selector meta.LabelSelector, 3 template core.PodTemplateSpec,
  4 strategy DeploymentStrategy, 5 minReadySeconds int32, 6 revisionHistoryLimit int32?, 7 paused bool,
  9 progressDeadlineSeconds int32?
DeploymentStatus: 1 observedGeneration int64, 2 replicas int32, 3 updatedReplicas int32, 7 readyReplicas int32,
  4 availableReplicas int32, 5 unavailableReplicas int32, 9 terminatingReplicas int32?,
  6 conditions [DeploymentCondition], 8 collisionCount int32?
DeploymentStrategy: 1 type string, 2 rollingUpdate RollingUpdateDeployment
RollingUpdateDeployment: 1 maxUnavailable intOrString, 2 maxSurge intOrString
`
