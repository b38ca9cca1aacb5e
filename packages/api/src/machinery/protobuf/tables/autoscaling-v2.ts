/** The messages of `autoscaling/v2`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const autoscalingV2 = `
ContainerResourceMetricSource: 1 name string!, 2 target MetricTarget, 3 container string!
ContainerResourceMetricStatus: 1 name string!, 2 current MetricValueStatus, 3 container string!
CrossVersionObjectReference: 1 kind string!, 2 name string!, 3 apiVersion string
ExternalMetricSource: 1 metric MetricIdentifier, 2 target MetricTarget
ExternalMetricStatus: 1 metric MetricIdentifier, 2 current MetricValueStatus
HPAScalingPolicy: 1 type string!, 2 value int32!, 3 periodSeconds int32!
HPAScalingRules: 3 stabilizationWindowSeconds int32?, 1 selectPolicy string?, 2 policies [HPAScalingPolicy],
  4 tolerance quantity
HorizontalPodAutoscaler: 1 metadata meta.ObjectMeta, 2 spec HorizontalPodAutoscalerSpec,
  3 status HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior: 1 scaleUp HPAScalingRules, 2 scaleDown HPAScalingRules
HorizontalPodAutoscalerCondition: 1 type string!, 2 status string!, 3 lastTransitionTime time, 4 reason string,
  5 message string
HorizontalPodAutoscalerSpec: 1 scaleTargetRef CrossVersionObjectReference, 2 minReplicas int32?,
  3 maxReplicas int32!, 4 metrics [MetricSpec], 5 behavior HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus: 1 observedGeneration int64?, 2 lastScaleTime time?, 3 currentReplicas int32,
  4 desiredReplicas int32!, 5 currentMetrics [MetricStatus], 6 conditions [HorizontalPodAutoscalerCondition]
MetricIdentifier: 1 name string!, 2 selector meta.LabelSelector
MetricSpec: 1 type string!, 2 object ObjectMetricSource, 3 pods PodsMetricSource,
  4 resource ResourceMetricSource, 7 containerResource ContainerResourceMetricSource,
  5 external ExternalMetricSource
MetricStatus: 1 type string!, 2 object ObjectMetricStatus, 3 pods PodsMetricStatus,
  4 resource ResourceMetricStatus, 7 containerResource ContainerResourceMetricStatus,
  5 external ExternalMetricStatus
MetricTarget: 1 type string!, 2 value quantity, 3 averageValue quantity, 4 averageUtilization int32?
MetricValueStatus: 1 value quantity, 2 averageValue quantity, 3 averageUtilization int32?
ObjectMetricSource: 1 describedObject CrossVersionObjectReference, 2 target MetricTarget,
  3 metric MetricIdentifier
ObjectMetricStatus: 1 metric MetricIdentifier, 2 current MetricValueStatus,
  3 describedObject CrossVersionObjectReference
PodsMetricSource: 1 metric MetricIdentifier, 2 target MetricTarget
PodsMetricStatus: 1 metric MetricIdentifier, 2 current MetricValueStatus
ResourceMetricSource: 1 name string!, 2 target MetricTarget
ResourceMetricStatus: 1 name string!, 2 current MetricValueStatus
`
