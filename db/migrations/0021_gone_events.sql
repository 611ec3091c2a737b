-- Two for each that is added, so that nobody's events grow by making webhooks and deleting them faster than the sweep erases.
CREATE TRIGGER `gone_events_go` AFTER INSERT ON `outbox` WHEN EXISTS (SELECT 1 FROM `gone_webhooks`)
BEGIN
	DELETE FROM `outbox` WHERE `id` IN (SELECT `id` FROM `outbox` WHERE `webhook_id` = (SELECT `id` FROM `gone_webhooks` ORDER BY `at` LIMIT 1) LIMIT 2);
	DELETE FROM `gone_webhooks` WHERE `id` = (SELECT `id` FROM `gone_webhooks` ORDER BY `at` LIMIT 1)
		AND NOT EXISTS (SELECT 1 FROM `outbox` WHERE `webhook_id` = `gone_webhooks`.`id`);
END;
