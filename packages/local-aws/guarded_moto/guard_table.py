"""The IAM actions and resources of the operations that functions, tool and Terraform call. Others are refused.

Each line names a resource and the operations that act on it. Unless it is `*` or an ARN, `arn:aws:<service>:<region>:
<account>:` comes before it. `{Name}` is a parameter of the call; a parameter that is an ARN stands for the whole
resource, and one with several values for several resources. A missing one is `*`. `@kind Name` is looked up, see
`guard_resources.py`. `Operation=Action` where IAM's action has another name. A line may need several resources: ` & `.
Source: Service Authorization Reference.
"""

# By signing name. API Gateway is not here: its actions are HTTP methods, its resources paths.
OPERATIONS = {
    "acm": "{CertificateArn}: DescribeCertificate ListTagsForCertificate",
    "application-autoscaling": """
        *: DescribeScalableTargets DescribeScalingPolicies
        scalable-target/*: RegisterScalableTarget DeregisterScalableTarget PutScalingPolicy DeleteScalingPolicy
        {ResourceARN}: ListTagsForResource TagResource UntagResource
    """,
    "athena": "workgroup/{WorkGroup|primary}: GetQueryExecution StartQueryExecution",
    "bedrock": """
        @model modelId: InvokeModel
        arn:aws:bedrock:{region}::foundation-model/{modelIdentifier}: GetFoundationModel
    """,
    "dynamodb": """
        table/{RequestItems}: BatchGetItem BatchWriteItem
        table/{TableName}: CreateTable DeleteItem DeleteTable DescribeContinuousBackups
          DescribeTable DescribeTimeToLive GetItem PutItem Query Scan UpdateContinuousBackups UpdateItem UpdateTable
          UpdateTimeToLive DescribeKinesisStreamingDestination DescribeContributorInsights
        table/{SourceTableName} & table/{TargetTableName}: RestoreTableToPointInTime
        {ResourceArn}: ListTagsOfResource TagResource UntagResource
    """,
    "ec2": """
        *: DescribeAccountAttributes DescribeNetworkInterfaces DescribePrefixLists DescribeSecurityGroupRules
          DescribeSecurityGroups DescribeSubnets DescribeVpcAttribute DescribeVpcEndpointServices DescribeVpcEndpoints
          DescribeVpcs DescribeManagedPrefixLists DescribeRouteTables DescribeNetworkAcls DescribeAvailabilityZones
        security-group/* & vpc/{VpcId}: CreateSecurityGroup
        security-group/{GroupId}: AuthorizeSecurityGroupEgress AuthorizeSecurityGroupIngress DeleteSecurityGroup
          ModifySecurityGroupRules RevokeSecurityGroupEgress RevokeSecurityGroupIngress
        network-interface/{NetworkInterfaceId}: DeleteNetworkInterface
        network-interface/*: DetachNetworkInterface
        vpc-endpoint/* & vpc/{VpcId}: CreateVpcEndpoint
        vpc-endpoint/{VpcEndpointId}: ModifyVpcEndpoint
        vpc-endpoint/{VpcEndpointIds}: DeleteVpcEndpoints
        */{Resources}: CreateTags DeleteTags
    """,
    "es": "domain/{DomainName}: DescribeDomain DescribeDomainConfig UpdateDomainConfig",
    "events": """
        rule/{Name}: DeleteRule DescribeRule PutRule
        rule/{Rule}: ListTargetsByRule PutTargets RemoveTargets
        {ResourceARN}: ListTagsForResource TagResource UntagResource
    """,
    "firehose": """
        deliverystream/{DeliveryStreamName}: CreateDeliveryStream DeleteDeliveryStream DescribeDeliveryStream
          ListTagsForDeliveryStream PutRecord PutRecordBatch StartDeliveryStreamEncryption StopDeliveryStreamEncryption
          TagDeliveryStream UntagDeliveryStream UpdateDestination
    """,
    "glue": """
        catalog & database/{DatabaseInput.Name}: CreateDatabase
        catalog & database/{Name}: DeleteDatabase GetDatabase UpdateDatabase
        catalog & database/{DatabaseName} & table/{DatabaseName}/{TableInput.Name}: CreateTable UpdateTable
        catalog & database/{DatabaseName} & table/{DatabaseName}/{Name}: DeleteTable GetTable
        catalog & database/{DatabaseName} & table/{DatabaseName}/{TableName}: GetPartitionIndexes
        {ResourceArn}: GetTags TagResource UntagResource
    """,
    "iam": """
        @role RoleName: AttachRolePolicy CreateRole DeleteRole DeleteRolePermissionsBoundary DeleteRolePolicy
          DetachRolePolicy GetRole GetRolePolicy ListAttachedRolePolicies ListInstanceProfilesForRole ListRolePolicies
          ListRoleTags PutRolePermissionsBoundary PutRolePolicy TagRole UntagRole UpdateAssumeRolePolicy UpdateRole
          UpdateRoleDescription
        arn:aws:iam::{account}:role/aws-service-role/{AWSServiceName}/*: CreateServiceLinkedRole
        {PolicyArn}: GetPolicy GetPolicyVersion
    """,
    "kms": """
        *: CreateKey ListAliases ListKeys
        @key KeyId: CreateGrant Decrypt DescribeKey EnableKeyRotation Encrypt GenerateDataKey GetKeyPolicy
          GetKeyRotationStatus ListResourceTags PutKeyPolicy ScheduleKeyDeletion TagResource UntagResource
          UpdateKeyDescription
        {AliasName} & @key TargetKeyId: CreateAlias UpdateAlias
        {AliasName}: DeleteAlias
    """,
    "lambda": """
        *: GetAccountSettings
        @function FunctionName: AddPermission CreateAlias CreateFunction DeleteAlias DeleteFunction
          DeleteFunctionConcurrency DeleteProvisionedConcurrencyConfig GetAlias GetFunction GetFunctionCodeSigningConfig
          GetFunctionConcurrency GetFunctionConfiguration GetPolicy GetProvisionedConcurrencyConfig Invoke=InvokeFunction
          ListVersionsByFunction PublishVersion PutFunctionConcurrency PutProvisionedConcurrencyConfig RemovePermission
          UpdateAlias UpdateFunctionCode UpdateFunctionConfiguration DeleteFunctionEventInvokeConfig
          GetFunctionEventInvokeConfig PutFunctionEventInvokeConfig
        *: CreateEventSourceMapping ListEventSourceMappings
        event-source-mapping:{UUID}: DeleteEventSourceMapping GetEventSourceMapping UpdateEventSourceMapping
        {Resource}: ListTags TagResource UntagResource
    """,
    "logs": """
        *: DescribeLogGroups
        log-group:{logGroupName}:log-stream:: AssociateKmsKey CreateLogGroup DeleteLogGroup DeleteSubscriptionFilter
          DescribeLogStreams DescribeSubscriptionFilters DisassociateKmsKey FilterLogEvents PutRetentionPolicy
          DeleteRetentionPolicy PutSubscriptionFilter
        log-group:{logGroupName}:log-stream:{logStreamName}: CreateLogStream DeleteLogStream PutLogEvents GetLogEvents
        {resourceArn}: ListTagsForResource TagResource UntagResource
    """,
    "monitoring": """
        *: DescribeAlarms GetMetricData PutMetricData
        alarm:{AlarmName}: PutMetricAlarm
        alarm:{AlarmNames}: DeleteAlarms
        arn:aws:cloudwatch::{account}:dashboard/{DashboardName}: GetDashboard PutDashboard
        arn:aws:cloudwatch::{account}:dashboard/{DashboardNames}: DeleteDashboards
        {ResourceARN}: ListTagsForResource TagResource UntagResource
    """,
    "personalize": """
        *: ListCampaigns ListDatasetGroups ListDatasetImportJobs ListDatasets ListEventTrackers ListFilters ListSchemas
          ListSolutions ListSolutionVersions ListDataDeletionJobs
        *: PutEvents
        batch-inference-job/{jobName}: CreateBatchInferenceJob
        {batchInferenceJobArn}: DescribeBatchInferenceJob
        campaign/{name}: CreateCampaign
        {campaignArn}: DeleteCampaign DescribeCampaign GetPersonalizedRanking GetRecommendations UpdateCampaign
        data-deletion-job/{jobName}: CreateDataDeletionJob
        {dataDeletionJobArn}: DescribeDataDeletionJob
        @dataset datasetType: CreateDataset
        {datasetArn}: DeleteDataset DescribeDataset PutItems PutUsers UpdateDataset
        dataset-group/{name}: CreateDatasetGroup
        {datasetGroupArn}: DeleteDatasetGroup DescribeDatasetGroup
        dataset-import-job/{jobName}: CreateDatasetImportJob
        {datasetImportJobArn}: DescribeDatasetImportJob
        event-tracker/*: CreateEventTracker
        {eventTrackerArn}: DeleteEventTracker DescribeEventTracker
        filter/{name}: CreateFilter
        {filterArn}: DeleteFilter DescribeFilter
        schema/{name}: CreateSchema
        {schemaArn}: DeleteSchema DescribeSchema
        solution/{name}: CreateSolution
        {solutionArn}: CreateSolutionVersion DeleteSolution DescribeSolution UpdateSolution
        {solutionVersionArn}: DescribeSolutionVersion GetSolutionMetrics StopSolutionVersionCreation
        {resourceArn}: ListTagsForResource TagResource UntagResource
    """,
    "route53": """
        arn:aws:route53:::hostedzone/{HostedZoneId}: ChangeResourceRecordSets ListResourceRecordSets
        arn:aws:route53:::hostedzone/{Id}: GetHostedZone
        arn:aws:route53:::hostedzone/{ResourceId}: ListTagsForResource
        arn:aws:route53:::change/{Id}: GetChange
        *: ListHostedZonesByName ListHostedZonesByVPC ListHostedZones
    """,
    "s3": """
        arn:aws:s3:::{Bucket}: CreateBucket DeleteBucket DeleteBucketPolicy GetBucketAccelerateConfiguration=GetAccelerateConfiguration
          GetBucketAcl GetBucketCors=GetBucketCORS GetBucketEncryption=GetEncryptionConfiguration
          GetBucketLifecycleConfiguration=GetLifecycleConfiguration GetBucketLocation GetBucketLogging
          GetBucketOwnershipControls GetBucketPolicy GetBucketReplication=GetReplicationConfiguration
          GetBucketRequestPayment GetBucketTagging GetBucketVersioning GetBucketWebsite
          GetObjectLockConfiguration=GetBucketObjectLockConfiguration GetPublicAccessBlock=GetBucketPublicAccessBlock
          HeadBucket=ListBucket ListMultipartUploads=ListBucketMultipartUploads ListObjects=ListBucket
          ListObjectVersions=ListBucketVersions ListObjectsV2=ListBucket PutBucketEncryption=PutEncryptionConfiguration
          PutBucketLifecycleConfiguration=PutLifecycleConfiguration DeleteBucketLifecycle=PutLifecycleConfiguration
          PutBucketOwnershipControls DeleteBucketOwnershipControls=PutBucketOwnershipControls PutBucketPolicy
          PutBucketTagging DeleteBucketTagging=PutBucketTagging PutBucketVersioning
          PutPublicAccessBlock=PutBucketPublicAccessBlock DeletePublicAccessBlock=PutBucketPublicAccessBlock
          DeleteBucketEncryption=PutEncryptionConfiguration
        arn:aws:s3:::{Bucket}/{Key}: AbortMultipartUpload CompleteMultipartUpload=PutObject
          CreateMultipartUpload=PutObject DeleteObject GetObject GetObjectTagging HeadObject=GetObject ListParts=ListMultipartUploadParts
          PutObject UploadPart=PutObject
        @deleted Bucket: DeleteObjects=DeleteObject
        *: ListBuckets=ListAllMyBuckets
    """,
    "sagemaker": """
        *: ListEndpoints
        endpoint/{EndpointName}: DeleteEndpoint DescribeEndpoint InvokeEndpoint UpdateEndpoint
        endpoint/{EndpointName} & endpoint-config/{EndpointConfigName}: CreateEndpoint
        endpoint-config/{EndpointConfigName}: CreateEndpointConfig DeleteEndpointConfig DescribeEndpointConfig
        model/{ModelName}: CreateModel DeleteModel DescribeModel
        {ResourceArn}: AddTags DeleteTags ListTags
    """,
    "scheduler": "schedule/{GroupName|default}/{Name}: CreateSchedule DeleteSchedule GetSchedule UpdateSchedule",
    "secretsmanager": """
        @secret SecretId: DeleteSecret DescribeSecret GetResourcePolicy GetSecretValue PutSecretValue TagResource
          UntagResource UpdateSecret
        secret:{Name}-*: CreateSecret
    """,
    "servicequotas": "*: ListServiceQuotas GetServiceQuota GetAWSDefaultServiceQuota",
    "sns": """
        {TopicArn}: DeleteTopic GetTopicAttributes Publish SetTopicAttributes
        {Name}: CreateTopic
        {ResourceArn}: ListTagsForResource TagResource UntagResource
    """,
    "sqs": """
        @queue QueueUrl: ChangeMessageVisibility DeleteMessage DeleteMessageBatch=DeleteMessage DeleteQueue
          GetQueueAttributes ListQueueTags ReceiveMessage SendMessage SendMessageBatch=SendMessage SetQueueAttributes
          TagQueue UntagQueue
        {QueueName}: CreateQueue GetQueueUrl
    """,
    "ssm": """
        @parameter Name: DeleteParameter GetParameter PutParameter
        @parameter Names: DeleteParameters GetParameters
        @parameter Path: GetParametersByPath
        @parameter ResourceId: ListTagsForResource AddTagsToResource RemoveTagsFromResource
        *: DescribeParameters
    """,
    "states": """
        {stateMachineArn}: DeleteStateMachine DescribeStateMachine ListExecutions ListStateMachineVersions StartExecution
          UpdateStateMachine
        stateMachine:{name}: CreateStateMachine
        {executionArn}: DescribeExecution GetExecutionHistory StopExecution
        {resourceArn}: ListTagsForResource TagResource UntagResource
        *: ValidateStateMachineDefinition ListStateMachines
    """,
    "sts": """
        {RoleArn}: AssumeRole
    """,
    "wafv2": """
        {WebACLArn} & @path ResourceArn: AssociateWebACL
        @path ResourceArn: DisassociateWebACL GetWebACLForResource
        {ARN}: GetWebACL
    """,
    "xray": "*: PutTraceSegments PutTelemetryRecords",
}

# IAM's name of a service where it differs from the name that its requests are signed for.
PREFIXES = {"monitoring": "cloudwatch"}

# The service that gets a role with a call, and the parameters that name it.
PASSED_ROLES = {
    ("lambda", "CreateFunction"): ("lambda", "Role"),
    ("lambda", "UpdateFunctionConfiguration"): ("lambda", "Role"),
    ("states", "CreateStateMachine"): ("states", "roleArn"),
    ("states", "UpdateStateMachine"): ("states", "roleArn"),
    ("personalize", "CreateBatchInferenceJob"): ("personalize", "roleArn"),
    ("personalize", "CreateDatasetImportJob"): ("personalize", "roleArn"),
    ("personalize", "CreateDataDeletionJob"): ("personalize", "roleArn"),
    ("sagemaker", "CreateModel"): ("sagemaker", "ExecutionRoleArn"),
    ("scheduler", "CreateSchedule"): ("scheduler", "Target.RoleArn"),
    ("scheduler", "UpdateSchedule"): ("scheduler", "Target.RoleArn"),
    ("events", "PutTargets"): ("events", "Targets.RoleArn"),
    ("firehose", "CreateDeliveryStream"): ("firehose", "ExtendedS3DestinationConfiguration.RoleARN"),
    ("firehose", "UpdateDestination"): ("firehose", "ExtendedS3DestinationUpdate.RoleARN"),
    ("logs", "PutSubscriptionFilter"): ("logs", "roleArn"),
    ("apigateway", "UpdateAccount"): ("apigateway", "patchOperations.value"),
}

# The action that a call with tags needs too, on the resource that it creates, where it is not TagResource, and the
# parameter with the tags where it is not Tags or tags. Source: Service Authorization Reference, dependent actions.
TAGGING = {
    "ec2": "CreateTags",
    "firehose": "TagDeliveryStream",
    "iam": "TagRole",
    "sagemaker": "AddTags",
    "sqs": "TagQueue",
    "ssm": "AddTagsToResource",
}
TAGS = {"ec2": ("TagSpecifications",)}

# What is tagged where it is not the first resource of the call.
TAGGED_RESOURCES = {
    ("glue", "CreateDatabase"): "database/{DatabaseInput.Name}",
    ("lambda", "CreateEventSourceMapping"): "event-source-mapping:*",
}

# Nobody needs permission for these.
FREE = {("sts", "GetCallerIdentity")}
