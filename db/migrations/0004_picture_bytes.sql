-- owners.history_bytes counts the picture of an organisation too. Another one replaces its row.
CREATE TRIGGER picture_counted AFTER INSERT ON organization_pictures
BEGIN
	UPDATE owners SET history_bytes = history_bytes + length(new.png) WHERE organization_id = new.organization_id;
END;
--> statement-breakpoint
CREATE TRIGGER picture_gone AFTER DELETE ON organization_pictures
BEGIN
	UPDATE owners SET history_bytes = history_bytes - length(old.png) WHERE organization_id = old.organization_id;
END;
