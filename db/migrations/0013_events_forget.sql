DROP INDEX `events_actor`;--> statement-breakpoint
DROP INDEX `events_target`;--> statement-breakpoint
CREATE INDEX `events_actor` ON `events` (`actor_user_id`,`owner_id`) WHERE "events"."actor_user_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `events_target` ON `events` (`target`,`owner_id`) WHERE "events"."target" IS NOT NULL;--> statement-breakpoint
-- What others' logs have of a person goes with their account.
CREATE TRIGGER events_forget_person AFTER DELETE ON user
BEGIN
	UPDATE events SET actor_user_id = NULL WHERE actor_user_id = old.id;
	UPDATE events SET target = NULL WHERE target = old.id;
END;
